// Addresses of issuers that the gateway would never call are refused when they are written, by each way of writing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { importInto } from './admin-fixture.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off' } });
});
afterAll(() => gateway?.close());

const FACTS = { name: 'A', issuerFrom: 'x', issuerDid: 'did:web:addresses.example' };
const MANAGED = { name: 'A', issuerFrom: 'x', managed: true };
const PRIVATE = 'must not be on a private, local or reserved address.';
const SPELLING = 'must have its host written in the usual form.';

type Door = (issuerId: string, body: Record<string, unknown>) => Promise<string>;
/** Each returns the message of the refusal, or an empty text. */
const DOORS: Record<string, Door> = {
  PUT: async (issuerId, body) => {
    const { status, body: answer } = await gateway.admin('PUT', `/v1/admin/issuers/${issuerId}`, { body });
    return status === 200 ? '' : JSON.stringify(answer);
  },
  mutation: async (issuerId, body) => {
    const query = 'mutation ($input: PutIssuerInput!) { putIssuer(input: $input) { result } }';
    const own = { 'x-admin-api-key': gateway.operatorKey };
    const { errors } = await gateway.gql(query, { input: { issuerId, ...body } }, own);
    return errors ? JSON.stringify(errors) : '';
  },
  import: async (id, body) => (await importInto(gateway, [{ kind: 'issuers', id, ...body }]))[0]?.message ?? '',
};

/** The refusal as it stands in a message, which may be inside JSON. */
const says = (field: string, words: string): RegExp =>
  new RegExp(`\\\\?"${field}\\\\?" ${words.replaceAll('.', '\\.')}`);

describe.each(Object.entries(DOORS))('An address of an issuer, by %s,', (_name, write) => {
  it.each([
    ['https://10.0.0.1/', PRIVATE],
    ['https://172.16.0.1/', PRIVATE],
    ['https://192.168.1.1:8443/', PRIVATE],
    ['https://169.254.169.254/latest', PRIVATE],
    ['https://168.63.129.16/', PRIVATE],
    ['https://100.64.0.1/', PRIVATE],
    ['https://0.0.0.0/', PRIVATE],
    ['https://224.0.0.1/', PRIVATE],
    ['https://[fd00::1]/', PRIVATE],
    ['https://[fe80::1]/', PRIVATE],
    ['https://[::ffff:a00:1]/', PRIVATE],
    ['https://[64:ff9b::a00:1]/', PRIVATE],
    ['https://2130706433/', SPELLING],
    ['https://0x7f.1/', SPELLING],
    ['https://0177.0.0.1/', SPELLING],
    ['https://[::ffff:127.0.0.1]/', SPELLING],
    ['https://１27.0.0.1/', SPELLING],
    ['https://münchen.example/', SPELLING],
    ['http://issuer.example/', 'must be an https URL'],
    ['https://me:secret@issuer.example/', 'must be an https URL'],
  ])('is refused where it is %s', async (url, words) => {
    expect(await write('spelt', { ...FACTS, issueVcUrl: url })).toMatch(says('issueVcUrl', words));
    expect((await gateway.admin('GET', '/v1/admin/issuers/spelt')).status).toBe(404);
  });

  it.each<[string, Record<string, unknown>]>([
    ['availableVcUrl', FACTS],
    ['issueVcUrl', FACTS],
    ['credentialUrl', { ...FACTS, walletIssuer: 'https://issuer.example/' }],
    ['walletIssuer', FACTS],
    ['subjectUrl', MANAGED],
  ])('is refused as %s', async (field, facts) => {
    expect(await write('member', { ...facts, [field]: 'https://10.0.0.1/' })).toMatch(says(field, PRIVATE));
  });
});

it('public addresses, and those of this machine in the sandbox, are taken as those of an issuer', async () => {
  const urls = ['https://issuer.example/', 'https://Issuer.example:443/', 'https://8.8.8.8/', 'http://127.0.0.1:4802/'];
  for (const issueVcUrl of urls) expect(await DOORS.PUT?.('taken', { ...FACTS, issueVcUrl }), issueVcUrl).toBe('');
});
