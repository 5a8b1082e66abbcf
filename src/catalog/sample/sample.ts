// The sample catalog of an empty sandbox: the tables beside this file, loaded by an ordinary import.
import { internalOperator } from '../../base/callers/caller.js';
import type { CatalogAdmin } from '../admin/admin.js';
import { CATALOG_KINDS } from '../rows/models.js';
import { CREDENTIALS } from './credentials.js';
import { ISSUERS, MANAGED, VERIFIERS } from './organisations.js';
import { PROGRAMS } from './programs.js';
import { SCHEMAS } from './schemas.js';

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
/** When the first entry was created. The others follow one day apart, so that lists by date have an order. */
const FIRST_DAY = Date.UTC(2025, 0, 6, 9);

const createdAt = (index: number, step: number): string => new Date(FIRST_DAY + index * step * DAY_MS).toISOString();

function* lines(): Generator<Record<string, unknown>> {
  for (const [index, [id, name, issuerFrom]] of ISSUERS.entries()) {
    const signer = MANAGED.has(id) ? { managed: true } : { issuerDid: `did:web:${id}.example` };
    yield { kind: 'issuers', id, name, issuerFrom, ...signer, createdAt: createdAt(index, 2) };
  }
  for (const [index, [id, name]] of VERIFIERS.entries())
    yield { kind: 'verifiers', id, name, verifierDid: `did:web:${id}.example`, createdAt: createdAt(index, 4) };
  for (const [index, [id, title, description, points]] of SCHEMAS.entries()) {
    yield {
      kind: 'schemas',
      id,
      title,
      description,
      dataPoints: points.map(dataPoint),
      createdAt: createdAt(index, 3),
    };
  }
  for (const [index, row] of CREDENTIALS.entries()) {
    const [id, name, category, issuerId, schemaId, holderCount, issuanceCount, verificationCount, days] = row;
    yield {
      kind: 'credentials',
      id,
      name,
      category,
      issuerId,
      schemaId,
      expirationDuration: days === 0 ? null : days * DAY_SECONDS,
      createdAt: createdAt(index + 20, 5),
      traction: { holderCount, issuanceCount, verificationCount },
    };
  }
  for (const [
    index,
    [id, name, description, verifierId, pricingModel, verificationCount, accepted],
  ] of PROGRAMS.entries()) {
    const acceptedCredentials = accepted.map(acceptedCredential);
    yield {
      kind: 'programs',
      id,
      name,
      description,
      verifierId,
      pricingModel,
      acceptedCredentials,
      createdAt: createdAt(index + 30, 7),
      traction: { verificationCount },
    };
  }
}

/** `name:type! Title. Description` */
function dataPoint(text: string): Record<string, unknown> {
  const [, name, type, required, title, description] = /^([^:]+):(\S+?)(!?) ([^.]+)\. (.+)$/.exec(text) ?? [];
  return { name, type, isRequired: required === '!', title, description };
}

/** `credential: condition; condition`, or `credential` for any values. */
function acceptedCredential(text: string): Record<string, unknown> {
  const [credentialId, conditions] = text.split(': ');
  return { credentialId, verificationConditions: conditions?.split('; ') ?? [] };
}

async function* ndjson(): AsyncIterable<string> {
  for (const line of lines()) yield JSON.stringify(line);
}

const OPERATOR = internalOperator('sample');

/**
 * Loads the sample catalog unless the catalog has entries of any kind. @returns the number of entries. @throws Error
 * naming a refused entry.
 */
export async function loadSample(admin: CatalogAdmin): Promise<number> {
  if (!(await isEmpty(admin))) return 0;
  let count = 0;
  for await (const results of admin.importLines(OPERATOR, ndjson())) {
    const refused = results.find(({ result }) => result === 'refused');
    if (refused) throw new Error(`the sample ${refused.kind} ${refused.id} was refused: ${refused.message}`);
    count += results.length;
  }
  return count;
}

async function isEmpty(admin: CatalogAdmin): Promise<boolean> {
  const pages = await Promise.all(CATALOG_KINDS.map((kind) => admin.list(OPERATOR, kind, { page: 1, limit: 1 })));
  return pages.every(({ pagination }) => pagination.total === 0);
}
