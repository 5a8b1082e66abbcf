// Nothing secret is left behind: recognisable contents, addresses, tokens and keys go in, and are looked for in the data file, the log and the errors.
import { afterAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn, registerIssuer, registerPartner } from '../support/partner.js';
import { storedText } from '../support/stored-text.js';

const gateway = new GatewayProcess({ LOG_LEVEL: 'debug' });
afterAll(() => gateway.remove());

const NOTE = 'canary-content-3f9a';
const EMAIL = 'canary-person-77@example.org';
const API_KEY = 'canary-api-key-51c2';
/** A member of a subject that is refused: only its partner is told. */
const MEMBER = 'canary-member-9c1d';

/** The forms in which a text might lie in a file or a line. */
const forms = (text: string): string[] => [
  text,
  Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(text).toString('hex'),
];

it('an issuance leaves no content, address, token or key in the data file, the log or an error', async () => {
  await gateway.start();
  const issuerDid = await registerIssuer(gateway.asGateway, 'canary');
  const partner = await registerPartner(gateway.asGateway, [issuerDid]);
  const issuerBody = { name: 'I', issuerFrom: 'x', issuerDid: 'did:web:i.example', apiKey: API_KEY };
  expect((await gateway.admin('PUT', '/v1/admin/issuers/i', { body: issuerBody })).status).toBe(200);
  const errors: string[] = [];
  const failing = async (path: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await partner.rest('POST', path, body, headers);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    errors.push(JSON.stringify(answer.body));
  };
  const body = { issuerDid, credentialId: 'canary-credential', credentialSubject: { note: NOTE }, email: EMAIL };
  const issued = await partner.rest('POST', '/v1/credentials/issue-on-behalf', body, { 'idempotency-key': 'one' });
  expect(issued.status).toBe(200);
  const issue = '/v1/credentials/issue-on-behalf';
  await failing(issue, { ...body, credentialSubject: { note: NOTE, more: NOTE } });
  await failing(issue, { ...body, credentialSubject: { note: [NOTE] } });
  const refused = { ...body, credentialSubject: { note: NOTE, [MEMBER]: 1 } };
  expect(JSON.stringify((await partner.rest('POST', issue, refused)).body)).toContain(MEMBER);
  const query =
    'mutation ($input: IssueOnBehalfInput!) { issueOnBehalf(input: $input) { issuance { coreClaimHash } } }';
  const byGraphql = await partner.rest('POST', '/graphql', { query, variables: { input: refused } });
  expect(JSON.stringify(byGraphql.body)).toContain(MEMBER);
  await failing(issue, { ...body, credentialId: 'none' });
  await failing(issue, { ...body, userId: issued.body.userUuid, email: `other-${EMAIL}` });
  await failing(issue, { ...body, onDuplicate: 'ignore' }, { 'idempotency-key': 'one' });
  await failing('/v1/auth/initialize-user', { email: EMAIL, more: EMAIL });
  const token = await partner.token({ email: EMAIL });
  await failing(issue, body, { 'x-partner-auth': `${token}x` });
  const session = await logIn(gateway.asGateway, partner, EMAIL);
  const bad = await gateway.rest('GET', '/v1/holders/me', { headers: { authorization: `Bearer ${session}x` } });
  errors.push(JSON.stringify(bad.body));
  await gateway.stop('SIGTERM');

  expect(gateway.output).toContain('"credentialSubject\\" does not fit the schema.');
  expect(gateway.output).not.toContain(MEMBER);
  const data = await storedText(gateway.dataDir);
  const signature = (jwt: string): string => jwt.split('.')[2] ?? '';
  const secrets = { NOTE, EMAIL, API_KEY, partnerToken: signature(token), sessionToken: signature(session) };
  for (const [name, secret] of Object.entries(secrets)) {
    for (const form of forms(secret)) {
      expect(data.includes(form), `${name} in the data file`).toBe(false);
      expect(gateway.output.includes(form), `${name} in the log`).toBe(false);
      expect(
        errors.some((error) => error.includes(form)),
        `${name} in an error`,
      ).toBe(false);
    }
  }
  // The search itself can find something: a name that is public is there.
  expect(data.includes('canary-credential')).toBe(true);
  expect(gateway.output).toContain('"level"');
});
