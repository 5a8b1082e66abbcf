// `partner create` and `partner token`: creates a partner with its own key in one command, and signs its tokens.
import { createPublicKey, randomUUID } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import { emailText } from '../holders/email.js';
import { writeFault } from './file-fault.js';
import { callGateway, type GatewayOptions, isRefusal, operatorKeyFor, requireGateway } from './gateway.js';
import type { Report } from './output.js';
import { PARTNER_FILE, readPartnerKey, type TokenOptions, tokenSigner } from './partner-token.js';

export interface CreateOptions extends GatewayOptions {
  name: string;
  issuer?: string[];
  scope: string[];
  origin?: string[];
  keyFile?: string;
}

/** Registers a partner at the gateway, with the key of a file, which is created if it does not exist. @throws DomainError, one sentence. */
export async function createPartner(config: Config, options: CreateOptions): Promise<Report> {
  const { name, issuer: issuerIds = [], scope: scopes, origin: allowedOrigins = [], keyFile = PARTNER_FILE } = options;
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  const issuers = await Promise.all(issuerIds.map((id) => issuerOf(url, headers, id)));
  const issuerDids = issuers.map(({ did }) => did);
  const isNew = !existsSync(keyFile);
  // Saved before the registration, because a partner without its key is useless.
  if (isNew) await makeKeyFile(keyFile);
  const { partnerId, jwk } = await publicPart(keyFile);
  await refuseKnown(url, headers, partnerId, keyFile);
  const rights = { scopes, issuerDids, issueOnBehalf: scopes.includes('issue'), allowedOrigins, requireTyp: true };
  const body = { name, jwks: { keys: [jwk] }, ...rights };
  await callGateway(url, 'PUT', `/v1/admin/partners/${partnerId}`, { headers, body }).catch((error: unknown) => {
    // Only after a refusal is it certain that the key was not registered.
    if (isNew && isRefusal(error)) rmSync(keyFile);
    throw error;
  });
  return {
    json: { partnerId, name, url, keyFile, kid: jwk.kid, scopes, issuerDids, allowedOrigins },
    lines: [
      `partner ${partnerId} (${name}) is registered at ${url}`,
      `  scopes        ${scopes.join(', ')}`,
      ...actingLines(scopes, issuers),
      ...(allowedOrigins.length > 0 ? [`  pages at      ${allowedOrigins.join(', ')}`] : []),
      `  key           ${jwk.kid}`,
      `  private key   in ${keyFile}${isNew ? ', readable only by you: keep it, there is no other copy' : ''}`,
    ],
  };
}

interface NamedIssuer {
  id: string;
  did: string;
  /** Whether the gateway signs for it. */
  managed: boolean;
}

async function issuerOf(url: string, headers: Record<string, string>, id: string): Promise<NamedIssuer> {
  const path = `/v1/admin/issuers/${encodeURIComponent(id)}`;
  const { issuerDid: did, managed } = (await callGateway(url, 'GET', path, { headers })) as {
    issuerDid: string;
    managed: boolean;
  };
  return { id, did, managed };
}

/** The issuers for which it can issue, and those that sign themselves, whose credentials it can only store. */
function actingLines(scopes: readonly string[], issuers: readonly NamedIssuer[]): string[] {
  if (!scopes.includes('issue')) return ['  issues for    nobody: give --scope issue'];
  const named = (isManaged: boolean): string =>
    issuers.flatMap(({ id, did, managed }) => (managed === isManaged ? `${id} (${did})` : [])).join(', ');
  const [issuing, storing] = [named(true), named(false)];
  const storingLine = `  stores for    ${storing}: credentials that the issuer signed, with POST /v1/dstorage/vcs`;
  return [
    `  issues for    ${issuing || 'nobody yet: give --issuer with a managed issuer'}`,
    ...(storing ? [storingLine] : []),
  ];
}

async function makeKeyFile(file: string): Promise<void> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  const text = JSON.stringify({ partnerId: randomUUID(), kid, alg: 'ES256', use: 'sig', ...jwk }, null, 2);
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be written: ${writeFault(cause)}.`, {}, { cause });
  }
}

/** The registration of a key. The key in a file without a partner's id was created elsewhere. */
async function publicPart(file: string) {
  const { key, alg, kid, partnerId = randomUUID() } = readPartnerKey(file);
  const jwk = await exportJWK(createPublicKey(key));
  return { partnerId, jwk: { ...jwk, kid: kid ?? (await calculateJwkThumbprint(jwk)), alg, use: 'sig' } };
}

async function refuseKnown(url: string, headers: Record<string, string>, partnerId: string, file: string) {
  const answer = await fetch(`${url}/v1/admin/partners/${partnerId}`, { headers, redirect: 'error' });
  if (answer.ok)
    throw badInput(`${file} is the key of ${partnerId}, which is already registered: give --key-file for another one.`);
}

export interface PartnerTokenOptions extends TokenOptions {
  scope: string;
  email?: string;
}

/** A token of five minutes, for the header x-partner-auth. @throws DomainError BAD_USER_INPUT. */
export async function partnerToken({ scope, email, ...options }: PartnerTokenOptions): Promise<Report> {
  if (!scope.split(' ').some((word) => word === 'issue' || word === 'verify'))
    throw badInput('--scope must have issue or verify, separated by spaces: --scope "issue verify".');
  if (email !== undefined && !emailText.safeParse(email).success)
    throw badInput(`--email must be an e-mail address; "${email}" is none.`);
  const { token, expiresAt } = await tokenSigner(options).sign({ scope, ...(email === undefined ? {} : { email }) });
  return { json: { token, expiresAt }, lines: [token] };
}
