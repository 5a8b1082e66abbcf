// BBS keys that self-signing issuers register: each must be a key, a kid always has the same key, and removed keys are no longer valid.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSuite, publicKeyMultibase } from '../../../src/zk/index.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const suite = await loadSuite();
const newKey = () => publicKeyMultibase(suite.newKey().publicKey);
const [FIRST, SECOND] = [newKey(), newKey()];

let gateway: TestGateway;
let number = 0;
let id: string;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

const bodyOf = (zkKeys?: unknown) => ({ name: 'Own', issuerFrom: 'x', issuerDid: `did:web:${id}.example`, zkKeys });
const put = (zkKeys?: unknown, by = gateway) => by.admin('PUT', `/v1/admin/issuers/${id}`, { body: bodyOf(zkKeys) });
const key = (kid: string, text: string) => ({ kid, publicKeyMultibase: text });
const served = async () =>
  (await gateway.rest('GET', `/v1/issuers/${id}/zk-keys`)).body.keys.map(({ kid }: { kid: string }) => kid);

/** Creates a new issuer for each test. */
const fresh = (): string => {
  number += 1;
  id = `own-${number}`;
  return id;
};

describe('A key', () => {
  it("a BBS key is in the issuer's record and key list until it is removed", async () => {
    fresh();
    const keys = [key('a', FIRST), key('b', SECOND)];
    expect((await put(keys)).body.zkKeys).toEqual(keys);
    expect((await served()).sort()).toEqual(['a', 'b']);
    expect((await put([keys[1]])).body.zkKeys).toEqual([keys[1]]);
    expect(await served()).toEqual(['b']);
    expect((await put()).body.zkKeys).toEqual([]);
    expect(await served()).toEqual([]);
  });

  it('a changed BBS key changes the etag, and the same keys do not', async () => {
    fresh();
    const { etag } = (await put()).body;
    const withKey = (await put([key('a', FIRST)])).body.etag;
    expect(withKey).not.toBe(etag);
    expect((await put([key('a', FIRST)])).body.etag).toBe(withKey);
    expect((await put()).body.etag).toBe(etag);
  });

  it('a kid keeps its BBS key, also after the key was removed and the issuer retired', async () => {
    fresh();
    await put([key('a', FIRST)]);
    const refused = { error: 409, message: expect.stringContaining('"zkKeys[0].kid" already has another key') };
    expect((await put([key('a', SECOND)])).body).toEqual(refused);
    await put();
    expect((await put([key('a', SECOND)])).body).toEqual(refused);
    await gateway.admin('DELETE', `/v1/admin/issuers/${id}`);
    expect((await put([key('a', SECOND)])).body).toEqual(refused);
    expect((await put([key('a', FIRST)])).status).toBe(200);
    expect(await served()).toEqual(['a']);
  });

  it('BBS keys are also returned by GraphQL', async () => {
    fresh();
    const query = 'mutation ($input: PutIssuerInput!) { putIssuer(input: $input) { result } }';
    const input = { issuerId: id, ...bodyOf([key('a', FIRST)]) };
    const { data } = await gateway.gql(query, { input }, { 'x-admin-api-key': gateway.operatorKey });
    expect(data.putIssuer.result).toBe('CREATED');
    expect(await served()).toEqual(['a']);
  });
});

describe('What is refused as a key:', () => {
  const identity = new Uint8Array(96);
  identity[0] = 0xc0;
  const elsewhere = new Uint8Array(96);
  elsewhere[0] = 0x80;
  elsewhere[95] = 2;

  it.each<[string, string, string]>([
    ['the identity', publicKeyMultibase(identity), 'not the identity'],
    ['a point outside of the subgroup', publicKeyMultibase(elsewhere), "group's right order"],
    ['a key with one letter more', `${FIRST}1`, 'z-base58'],
    ['a text', 'zebra', 'z-base58'],
  ])('a BBS key is refused: %s', async (_name, text, says) => {
    fresh();
    const { status, body } = await put([key('good', SECOND), key('a', text)]);
    expect([status, body.message]).toEqual([400, expect.stringContaining(says)]);
    expect(body.message).toContain('zkKeys[1].publicKeyMultibase');
    expect((await gateway.rest('GET', `/v1/issuers/${id}/zk-keys`)).status).toBe(404);
  });

  it('a kid that occurs twice, more than 32 keys, and keys of a managed issuer are refused', async () => {
    fresh();
    expect((await put([key('a', FIRST), key('a', SECOND)])).body.message).toContain('must not name one kid twice');
    const many = Array.from({ length: 33 }, (_, at) => key(`k${at}`, FIRST));
    expect((await put(many)).body.message).toContain('at most 32 keys');
    const managed = { name: 'M', issuerFrom: 'x', managed: true, zkKeys: [key('a', FIRST)] };
    const answer = await gateway.admin('PUT', `/v1/admin/issuers/${id}`, { body: managed });
    expect(answer.body.message).toContain('"zkKeys" must be left out when managed is true');
  });

  it('one import line with a bad BBS key is refused, and no other line', async () => {
    const line = (issuerId: string, text: string) => {
      id = issuerId;
      return JSON.stringify({ kind: 'issuers', id, ...bodyOf([key('a', text)]) });
    };
    const body = [line('imported-1', FIRST), line('imported-2', publicKeyMultibase(identity))].join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await gateway.admin('POST', '/v1/admin/import', { body, headers });
    const results = answer.body
      .trim()
      .split('\n')
      .map((text: string) => JSON.parse(text).result);
    expect(results).toEqual(['created', 'refused']);
  });
});

it('if proofs are off, new BBS keys are refused, and an issuer without keys can be written', async () => {
  const off = await startGateway({ env: { ZK: 'off' } });
  try {
    fresh();
    const answer = await put([key('a', FIRST)], off);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await put(undefined, off)).status).toBe(200);
  } finally {
    await off.close();
  }
});
