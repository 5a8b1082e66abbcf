// A partner and holders for tests: the partner signs tokens with its own key, and holders log in through the sandbox's
// mailbox.
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { RestAnswer, TestGateway } from './gateway.js';

export interface TestPartner {
  partnerId: string;
  /** Signs a token. `expires` is a duration in jose's form. */
  token(claims?: object, scope?: string, expires?: string): Promise<string>;
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>;
}

/** Registers a partner that may issue for these issuers. */
export async function registerPartner(gateway: TestGateway, issuerDids: string[] = []): Promise<TestPartner> {
  const partnerId = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const body = {
    name: 'Test partner',
    jwks: { keys: [jwk] },
    scopes: ['issue', 'verify'],
    issuerDids,
    issueOnBehalf: true,
    allowedOrigins: [],
    requireTyp: true,
  };
  const { status, body: answer } = await gateway.admin('PUT', `/v1/admin/partners/${partnerId}`, { body });
  if (status !== 200) throw new Error(`the partner was refused: ${JSON.stringify(answer)}`);
  const token = (claims: object = {}, scope = 'issue', expires = '5m') =>
    new SignJWT({ partnerId, scope, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k1' })
      .setExpirationTime(expires)
      .sign(privateKey);
  return {
    partnerId,
    token,
    rest: async (method, path, payload, headers = {}) =>
      gateway.rest(method, path, { body: payload, headers: { 'x-partner-auth': await token(), ...headers } }),
  };
}

/** Lets pages of these origins act for a partner. */
export async function allowOrigins(
  { admin }: Pick<TestGateway, 'admin'>,
  partnerId: string,
  allowedOrigins: string[],
): Promise<void> {
  const path = `/v1/admin/partners/${partnerId}`;
  const { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp } = (await admin('GET', path)).body;
  const body = { name, jwks, scopes, issuerDids, issueOnBehalf, requireTyp, allowedOrigins };
  const { status, body: answer } = await admin('PUT', path, { body });
  if (status !== 200) throw new Error(`the origins were refused: ${JSON.stringify(answer)}`);
}

/** Registers a managed issuer with one credential that has one text field. @returns the issuer's DID. */
export async function registerIssuer(gateway: TestGateway, id: string): Promise<string> {
  const { body } = await gateway.admin('PUT', `/v1/admin/issuers/${id}`, {
    body: { name: id, issuerFrom: 'test', managed: true },
  });
  const dataPoints = [{ name: 'note', type: 'string', isRequired: true, description: '' }];
  await gateway.admin('PUT', `/v1/admin/schemas/${id}-schema`, { body: { title: id, description: '', dataPoints } });
  const credential = { name: id, category: 'Test', issuerId: id, schemaId: `${id}-schema` };
  const answer = await gateway.admin('PUT', `/v1/admin/credentials/${id}-credential`, { body: credential });
  if (answer.status !== 200) throw new Error(`the credential was refused: ${JSON.stringify(answer.body)}`);
  return body.issuerDid;
}

/** Logs a holder in by the mailed code. @returns the session token. */
export async function logIn(gateway: TestGateway, partner: TestPartner, email: string): Promise<string> {
  const headers = { 'x-partner-auth': await partner.token({ email }) };
  const login = await gateway.rest('POST', '/v1/auth/login', { body: {}, headers });
  const mailbox = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
  const { code } = mailbox.body.messages.at(-1);
  const verified = await gateway.rest('POST', '/v1/auth/verify', { body: { loginId: login.body.loginId, code } });
  return verified.body.token;
}
