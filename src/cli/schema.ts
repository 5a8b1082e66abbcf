// `schema impact`: asks a running gateway what a schema change would break, before it is written.
import { readFileSync } from 'node:fs';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import { EVERYWHERE } from '../base/json/exact-json.js';
import { fileFault } from './file-fault.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import { JsonTextError, parseJsonText } from './json-text.js';
import { countOf, type Report } from './output.js';

interface Impact {
  breaks: { programId: string; credentialId: string; condition: string; why: string }[];
  reissue: number;
}

/** @param file a body of `PUT /v1/admin/schemas/{id}`, or a JSON Schema document. @throws DomainError, one sentence. */
export async function schemaImpact(
  config: Config,
  schemaId: string,
  file: string,
  options: GatewayOptions,
): Promise<Report> {
  const body = bodyOf(file);
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  const path = `/v1/admin/schemas/${encodeURIComponent(schemaId)}/impact`;
  const impact = (await callGateway(url, 'POST', path, { headers, body })) as Impact;
  const { breaks, reissue } = impact;
  const lines = breaks.map(
    ({ programId, credentialId, condition, why }) => `breaks  ${programId}: ${condition} of ${credentialId} (${why})`,
  );
  return {
    json: impact,
    sound: breaks.length === 0 && reissue === 0,
    lines: [
      ...lines,
      `${countOf(breaks.length, 'condition')} of programs would break, ${countOf(reissue, 'live credential')} would have to be issued again`,
    ],
  };
}

function bodyOf(file: string): unknown {
  const content = read(file);
  const isBody =
    typeof content === 'object' && content !== null && ('jsonSchema' in content || 'dataPoints' in content);
  return isBody ? content : { jsonSchema: content };
}

function read(file: string): unknown {
  try {
    return parseJsonText(readFileSync(file, 'utf8'), EVERYWHERE);
  } catch (error) {
    if (error instanceof JsonTextError) throw badInput(`${file} ${error.message}.`);
    if (error instanceof DomainError) throw badInput(`${file}: ${error.message}`);
    throw badInput(`${file} cannot be read: ${fileFault(error)}.`);
  }
}
