// The largest body of a GraphQL request: whole batches for partners that issue, operations for all other callers.
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

const CREATE = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
const KIB = 1_024;

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;

beforeAll(async () => {
  gateway = await startGateway();
  issuerDid = await registerIssuer(gateway, 'body');
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(() => gateway.close());

const rowsOf = (count: number, note: string) =>
  Array.from({ length: count }, (_, index) => ({
    rowKey: `${index}`,
    email: `row-${index}@example.org`,
    credentialSubject: { note },
  }));
const create = async (rows: object[], scope = 'issue') => {
  const input = { issuerDid, credentialId: 'body-credential', dryRun: true, rows };
  return gateway.gql(CREATE, { input }, { 'x-partner-auth': await partner.token({}, scope) });
};
const padded = (bytes: number) => JSON.stringify({ query: `{ __typename } # ${'x'.repeat(bytes)}` });

/** Sends a body without stating its length. */
function sendChunked(body: string, headers: Record<string, string> = {}): Promise<{ status?: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const sent = request(`${gateway.url}/graphql`, options, (answer) => {
      json(answer).then((read) => resolve({ status: answer.statusCode, body: read }), reject);
    });
    sent.on('error', reject);
    for (let at = 0; at < body.length; at += 16_384) sent.write(body.slice(at, at + 16_384));
    sent.end();
  });
}

describe('a partner that may issue', () => {
  it('a partner that may issue can send a batch of a megabyte', async () => {
    const { data, errors } = await create(rowsOf(3_000, 'x'.repeat(300)));
    expect(errors).toBeUndefined();
    const { jobId } = data.issueOnBehalfBatch.job;
    const cancel = `mutation { cancelBatch(input: { jobId: "${jobId}" }) { job { state } } }`;
    await gateway.gql(cancel, {}, { 'x-partner-auth': await partner.token() });
  });

  it('a partner that sends a larger batch gets the limit in the error', async () => {
    const large = await create(rowsOf(3_000, 'x'.repeat(800)));
    expect([large.status, large.errors?.[0]?.extensions.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(large.errors?.[0]?.message).toMatch(/2 MiB.*10,000 rows/);
    const many = await create(rowsOf(10_001, ''));
    expect(many.errors?.[0]?.message).toMatch(/1 to 10000 rows; there are 10001/);
  });

  it('a partner can send a batch without content-length', async () => {
    const headers = { 'x-partner-auth': await partner.token() };
    expect(await sendChunked(padded(1_000 * KIB), headers)).toMatchObject({ status: 200 });
    expect(await sendChunked(padded(2_100 * KIB), headers)).toMatchObject({ status: 413 });
  });
});

describe('everyone else', () => {
  it('all other callers can send at most 256 KiB, with content-length or without', async () => {
    expect((await create(rowsOf(1_000, 'x'.repeat(300)), 'verify')).status).toBe(413);
    expect(await sendChunked(padded(100 * KIB))).toMatchObject({ status: 200 });
    const refused = await sendChunked(padded(300 * KIB));
    expect(refused).toMatchObject({ status: 413, body: { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] } });
  });
});
