// Credentials of issuers that are not the gateway's: in one program with ours, and whose signatures, certificates and lists count.
import type { ServerResponse } from 'node:http';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKey } from '../../openid4vci/wallet.js';
import { authority, type Certified, certify, extension, keyOf } from '../../openid4vp/authority.js';
import { PERSON, startForeignIssuer } from '../../openid4vp/foreign-issuer.js';
import { type Held, PresentingWallet } from '../../openid4vp/wallet.js';
import { asVerifier, recordOf } from '../world.js';
import { FOREIGN, type ForeignWorld, startForeignWorld } from './foreign-world.js';

let world: ForeignWorld;
beforeAll(async () => {
  world = await startForeignWorld();
  await world.program('adults', { identity: ['birthdate <= today - 18 years'] });
});
afterAll(async () => {
  await world?.foreign.close();
  await world?.gateway.close();
});

const AGE = { claims: { ...PERSON, age_over_18: true } };
const answer = async (held: Held[], programId = 'adults') => {
  const started = await world.start({ programId });
  if (started.status !== 201) throw new Error(JSON.stringify(started.body));
  const answered = await new PresentingWallet(held, world.own).answer(started.body.wallet.uri);
  return { ...answered, record: await recordOf(world, started.body.verificationId) };
};
const PROVED = { state: 'proved', credentialId: 'identity' };
const NO_PROOF = { state: 'closed', reason: 'proof' };

describe('A program', () => {
  it('takes a foreign identity credential or a degree of ours, and asks for them as alternatives', async () => {
    await world.program('either', { identity: ['birthdate <= today - 18 years'], member: ['level = 3'] });
    const ours = await world.walletWith();
    const foreign = [await world.foreign.issue(AGE)];
    const one = await answer(foreign, 'either');
    expect(one.request.dcql_query).toMatchObject({
      credentials: [
        { id: 'c0', meta: { vct_values: ['urn:eudi:pid:1'] }, claims: [{ path: ['age_over_18'], values: [true] }] },
        { id: 'c1', claims: [{ path: ['level'], values: [3] }] },
      ],
      credential_sets: [{ options: [['c0'], ['c1']] }],
    });
    expect(one.record).toMatchObject(PROVED);
    expect((await answer(ours.held, 'either')).record).toMatchObject({ state: 'proved', credentialId: 'member' });
  });

  it('asks for wallets’ credentials by the key of the authority', async () => {
    const { request } = await answer([await world.foreign.issue(AGE)]);
    const [{ trusted_authorities: authorities }] = request.dcql_query.credentials;
    expect(authorities).toEqual([{ type: 'aki', values: [expect.stringMatching(/^[\w-]{27}$/)] }]);
  });

  it('learns that a holder is over 18 without the birth date', async () => {
    const { record } = await answer([await world.foreign.issue(AGE)]);
    expect(record).toMatchObject({ ...PROVED, disclosed: ['age_over_18'] });
  });

  it('with disclose, asks for the birth date of those who have no such claim, and checks it itself', async () => {
    await world.program('disclosing', { identity: ['birthdate <= today - 18 years'] }, { disclose: true });
    const adult = await answer([await world.foreign.issue()], 'disclosing');
    expect(adult.record).toMatchObject({ ...PROVED, disclosed: ['birthdate'] });
    const child = await world.foreign.issue({ claims: { birthdate: '2020-01-01' } });
    expect((await answer([child], 'disclosing')).record).toMatchObject({ state: 'closed', reason: 'conditions' });
  });

  it('with a limit for each holder cannot take credentials that do not name their holder', async () => {
    await world.program('limited', { identity: ['birthdate <= today - 18 years'] }, { maxPerHolder: 1 });
    const { status, body } = await world.start({ programId: 'limited' });
    expect({ status, body }).toMatchObject({ status: 409, body: { message: expect.stringContaining('limits') } });
  });
});

describe('A chain of certificates counts if it leads to an anchor', () => {
  const present = async (x5c: Certified[]) => {
    const [leaf] = x5c;
    const key = leaf && (await keyOf(leaf));
    return (await answer([await world.foreign.issue({ ...AGE, x5c, ...(key && { key }) })])).record;
  };
  const under = async (length: number): Promise<Certified[]> => {
    const chain = [world.foreign.root];
    for (let at = 1; at < length; at += 1) chain.unshift(await authority(`Authority ${at}`, chain[0]));
    return [await certify('Issuer', chain[0]), ...chain.slice(0, -1)];
  };

  it('of four certificates', async () => {
    expect(await present(await under(4))).toMatchObject(PROVED);
  });

  it('with extensions that are unknown and not critical, or known and critical', async () => {
    const extensions = [extension('1.2.3.4', false), extension('2.5.29.32', true)];
    expect(await present([await certify('Issuer', world.foreign.root, { extensions })])).toMatchObject(PROVED);
  });

  it.each<[string, () => Promise<Certified[]>]>([
    ['five certificates', () => under(5)],
    ['the root in it', async () => [world.foreign.leaf, world.foreign.root]],
    ['none', async () => []],
    ['another root', async () => [await certify('Issuer', await authority('Other'))]],
    ['a self-signed certificate', async () => [await certify('Issuer')]],
    ['an expired certificate', async () => [await certify('Issuer', world.foreign.root, { days: -1 })]],
    ['a key that may not sign', async () => [await certify('Issuer', world.foreign.root, { usages: 8 })]],
    [
      'an issuer that is no authority',
      async () => {
        const no = await certify('No authority', world.foreign.root);
        return [await certify('Issuer', no), no];
      },
    ],
    ['a gap', async () => [await certify('Issuer', await authority('Lost', world.foreign.root))]],
    [
      'more authorities than one allows',
      async () => {
        const first = await authority('First', world.foreign.root, { pathLength: 0 });
        const second = await authority('Second', first);
        return [await certify('Issuer', second), second, first];
      },
    ],
    [
      'an authority whose names are limited',
      async () => {
        const limited = await authority('Limited', world.foreign.root, { extensions: [extension('2.5.29.30', true)] });
        return [await certify('Issuer', limited), limited];
      },
    ],
    ...['2.5.29.36', '1.2.3.4'].map((oid): [string, () => Promise<Certified[]>] => [
      `the unknown critical extension ${oid}`,
      async () => [await certify('Issuer', world.foreign.root, { extensions: [extension(oid, true)] })],
    ]),
    ['an authority as issuer', async () => [await authority('Issuer', world.foreign.root)]],
  ])('not with %s', async (_what, chain) => {
    expect(await present(await chain())).toMatchObject(NO_PROOF);
  });
});

describe('A status list counts if the issuer has signed it, for its address and for now', () => {
  let at = 0;
  const withList = async (list: ForeignWorld['foreign']['list']) => {
    world.foreign.list = list;
    const status = world.foreign.statusAt(3, `/list-of-${++at}`);
    const { record } = await answer([await world.foreign.issue({ ...AGE, payload: { status } })]);
    world.foreign.list = {};
    return record;
  };
  const NO_STATUS = { state: 'closed', result: { status: 'Non-Compliant' }, reason: 'status' };
  const past = Math.floor(Date.now() / 1_000) - 100;
  const bomb = deflateSync(Buffer.alloc(64 * 1_048_576)).toString('base64url');
  const endless = (response: ServerResponse) => {
    response.writeHead(200);
    const more = () => void (response.destroyed || response.write('a'.repeat(65_536), () => setImmediate(more)));
    more();
  };

  it('then it is asked for once while it is good', async () => {
    world.foreign.list = { payload: { ttl: 600 } };
    const status = world.foreign.statusAt(3, '/cached');
    const held = await world.foreign.issue({ ...AGE, payload: { status } });
    for (let time = 0; time < 3; time += 1) expect((await answer([held])).record).toMatchObject(PROVED);
    world.foreign.list = {};
    expect(world.foreign.asked.filter((path) => path === '/cached')).toHaveLength(1);
  });

  it.each<[string, () => Promise<ForeignWorld['foreign']['list']>]>([
    ['another key', async () => ({ key: await newKey() })],
    ['another address', async () => ({ payload: { sub: 'https://other.example/list' } })],
    ['a time that is over', async () => ({ payload: { exp: past } })],
    ['another type', async () => ({ header: { typ: 'JWT' } })],
    ['no list', async () => ({ payload: { status_list: undefined } })],
    ['a list without the place', async () => ({ payload: { status_list: { bits: 1, lst: 'eNoDAAAAAAE' } } })],
    ['three bits a place', async () => ({ payload: { status_list: { bits: 3, lst: 'eNpjAAAAAQAB' } } })],
    ['more than is held once it is decompressed', async () => ({ payload: { status_list: { bits: 1, lst: bomb } } })],
    ['no end', async () => ({ respond: endless })],
    ['no answer that is understood', async () => ({ respond: (response) => void response.writeHead(404).end('no') })],
  ])('not with %s', async (_what, list) => {
    expect(await withList(await list())).toMatchObject(NO_STATUS);
  });
});

describe('An issuer that publishes its keys', () => {
  const register = (walletIssuer: string) =>
    world.gateway.admin('PUT', '/v1/admin/issuers/foreign', { body: { ...FOREIGN, walletIssuer } });
  const published = async (iss: string, header: object = { kid: 'one', x5c: undefined }) =>
    (await answer([await world.foreign.issue({ ...AGE, payload: { iss }, header })])).record;

  it('is recognised by them, under its own identifier', async () => {
    const { url } = world.foreign;
    expect((await register(url)).status).toBe(200);
    expect(await published(url)).toMatchObject(PROVED);
    expect(await published(`${url}/other`)).toMatchObject(NO_PROOF);
    expect(await published(url, { kid: 'two', x5c: undefined })).toMatchObject(NO_PROOF);
    const liar = await startForeignIssuer();
    liar.metadata = () => ({ issuer: url, jwks: { keys: [] } });
    await register(liar.url);
    expect(await published(liar.url)).toMatchObject(NO_PROOF);
    await liar.close();
  });

  it.each(['https://10.0.0.1/issuer', 'https://169.254.169.254', 'https://[fd00::1]/x'])(
    'is not asked at %s',
    async (address) => {
      expect((await register(address)).status).toBe(400);
      // One that was written before such addresses were refused.
      await register('https://issuer.example');
      const issuers = world.gateway.app.connection.collection('issuers');
      await issuers.updateOne({ walletIssuer: 'https://issuer.example' }, { $set: { walletIssuer: address } });
      expect(await published(address)).toMatchObject(NO_PROOF);
    },
  );

  it.each([
    ['http://issuer.example', 'walletIssuer'],
    ['https://user@issuer.example', 'walletIssuer'],
  ])('cannot be registered at %s', async (address, field) => {
    const { status, body } = await register(address);
    expect({ status, body }).toMatchObject({ status: 400, body: { message: expect.stringContaining(field) } });
  });

  it('has anchors or an address, and a managed issuer neither', async () => {
    const put = (body: object) => world.gateway.admin('PUT', '/v1/admin/issuers/foreign', { body });
    const { anchor, url } = world.foreign;
    expect((await put({ ...FOREIGN, anchors: [anchor], walletIssuer: url })).status).toBe(400);
    expect((await put({ ...FOREIGN, anchors: ['no certificate'] })).status).toBe(400);
    const leaf = world.foreign.leaf.certificate.toString('pem');
    for (const refused of [
      leaf,
      `${anchor}\n${leaf}`,
      `${anchor}\n${anchor}`,
      `Authority:\n${anchor}`,
      anchor.slice(0, -40),
    ])
      expect((await put({ ...FOREIGN, anchors: [refused] })).body.message).toMatch('certificate of an authority');
    const { body: crlf } = await put({ ...FOREIGN, anchors: [`\n${anchor.replaceAll('\n', '\r\n')}\r\n`] });
    expect((await put({ ...FOREIGN, anchors: [anchor] })).body.etag).toBe(crlf.etag);
    const managed = { name: 'Club', issuerFrom: 'test', managed: true, anchors: [anchor] };
    expect((await world.gateway.admin('PUT', '/v1/admin/issuers/club', { body: managed })).status).toBe(400);
    expect((await asVerifier(world, 'GET', '/v1/verifications')).status).toBe(200);
  });
});
