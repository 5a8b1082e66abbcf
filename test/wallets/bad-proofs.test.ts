// Proofs of keys that a credential issuer refuses, each with its error; the right wallet still gets its credential.
import { base64url } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { didKeyOf } from '../../src/keys/did.js';
import {
  authorized,
  dpopOf,
  errorOf,
  type Open,
  type ProofParts,
  proofOf,
  seconds,
  sendProofs,
  stillGets,
} from './faulty-requests.js';
import { createKey, type WalletKey } from './keys.js';
import { startWorld, type World } from './world.js';

let world: World;
let ahead = 0;
beforeAll(async () => {
  world = await startWorld({}, { clock: () => Date.now() + ahead });
  await world.gateway.admin('PUT', '/v1/admin/issuers/guild', {
    body: { name: 'Guild', issuerFrom: 'test', managed: true },
  });
});
afterAll(() => world?.gateway.close());

describe('A proof of a key is refused', () => {
  const OFF_CURVE = base64url.encode(new Uint8Array(32).fill(1));
  const INVALID: Record<string, (parts: ProofParts) => Partial<ProofParts> | Promise<Partial<ProofParts>>> = {
    'for another issuer': ({ claims }) => ({ claims: { ...claims, aud: `${world.url}/oid4vci/guild` } }),
    'for no issuer': ({ claims }) => ({ claims: { ...claims, aud: undefined } }),
    'of another typ': ({ header }) => ({ header: { ...header, typ: 'JWT' } }),
    'of no typ': ({ header }) => ({ header: { ...header, typ: undefined } }),
    'with a critical header that nobody knows': ({ header }) => ({ header: { ...header, crit: ['later'], later: 1 } }),
    'an hour old': ({ claims }) => ({ claims: { ...claims, iat: seconds() - 3_600 } }),
    'an hour ahead': ({ claims }) => ({ claims: { ...claims, iat: seconds() + 3_600 } }),
    'without its time': ({ claims }) => ({ claims: { ...claims, iat: undefined } }),
    'with a private member': ({ header, key }) => ({ header: { ...header, jwk: { ...key.jwk, d: OFF_CURVE } } }),
    'of a point off the curve': ({ header, key }) => ({ header: { ...header, jwk: { ...key.jwk, y: OFF_CURVE } } }),
    'of a key on another curve': ({ header, key }) => ({
      header: { ...header, jwk: { ...key.jwk, crv: 'secp256k1' } },
    }),
    'signed by another key': async () => ({ key: await createKey() }),
    'of a kid of somebody else': async ({ header }) => {
      const { jwk } = await createKey();
      const did = `did:jwk:${base64url.encode(JSON.stringify(jwk))}#0`;
      return { header: { ...header, jwk: undefined, kid: did } };
    },
    'of a kid and a key': ({ header }) => ({ header: { ...header, kid: '1' } }),
    'of no key': ({ header }) => ({ header: { ...header, jwk: undefined } }),
    'of a did:key of somebody else': async ({ header }) => ({
      header: { ...header, jwk: undefined, kid: didKeyOf((await createKey()).jwk) },
    }),
    'of a did:key on another curve': ({ header }) => ({
      header: { ...header, jwk: undefined, kid: 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK' },
    }),
    'of a did:key with the fragment of another': async ({ header, key }) => {
      const [own, other] = [didKeyOf(key.jwk), didKeyOf((await createKey()).jwk)];
      return { header: { ...header, jwk: undefined, kid: `${own}#${other.slice('did:key:'.length)}` } };
    },
    'of a DID that is none': ({ header }) => ({ header: { ...header, jwk: undefined, kid: 'did:jwk:e30' } }),
  };
  let open: Open;
  beforeAll(async () => {
    open = await authorized(world);
  });
  afterAll(() => stillGets(world, open));

  it.each(Object.entries(INVALID))('%s', async (_fault, change) => {
    expect(await sendProofs(open, { jwt: [await proofOf(open, change)] })).toBe('400 invalid_proof');
  });

  it.each([
    ['of another algorithm', { alg: 'HS256' }],
    ['that nobody signed', { alg: 'none' }],
  ])('%s', async (_fault, header) => {
    const right = await proofOf(open, () => ({}));
    const [head = '', claims = ''] = right.split('.');
    const parsed = JSON.parse(Buffer.from(head, 'base64url').toString());
    const faulty = `${base64url.encode(JSON.stringify({ ...parsed, ...header }))}.${claims}.${'A'.repeat(86)}`;
    expect(await sendProofs(open, { jwt: [faulty] })).toBe('400 invalid_proof');
  });

  it('that is no list of one to ten, or that has a key twice', async () => {
    const right = await proofOf(open, () => ({}));
    const eleven = await Promise.all(Array.from({ length: 11 }, () => proofOf(open, () => ({}))));
    const key = await createKey();
    const twice = await Promise.all(
      [1, 2].map(() => proofOf(open, ({ header }) => ({ key, header: { ...header, jwk: key.jwk } }))),
    );
    for (const proofs of [
      undefined,
      {},
      { jwt: right },
      { jwt: [] },
      { jwt: [7] },
      { jwt: eleven },
      { jwt: twice },
      { di_vp: [{}] },
      { jwt: ['no jwt'] },
    ])
      expect(await sendProofs(open, proofs), JSON.stringify(proofs)?.slice(0, 80)).toBe('400 invalid_proof');
  });

  it('with a nonce that is missing, invented, of another issuer or over', async () => {
    const of = (nonce: unknown) => proofOf(open, ({ claims }) => ({ claims: { ...claims, nonce } }));
    const foreign = await fetch(`${world.url}/oid4vci/guild/nonce`, { method: 'POST' });
    const { c_nonce: ofGuild } = (await foreign.json()) as { c_nonce: string };
    for (const nonce of [undefined, 'invented', 7, ofGuild])
      expect(await sendProofs(open, { jwt: [await of(nonce)] }), String(nonce)).toBe('400 invalid_nonce');
    const late = await authorized(world);
    const nonce = await late.issuance.nonce();
    ahead = 301_000;
    const fresh = seconds() + 301;
    const proof = await proofOf(late, ({ claims }) => ({ claims: { ...claims, nonce, iat: fresh } }));
    // The DPoP proof of the wallet is of its own time: so its token is used without a clock of this test's.
    const { authorization, metadata } = late.issuance;
    const body = JSON.stringify({ ...authorization.credential(), proofs: { jwt: [proof] } });
    const url = String(metadata.credential_endpoint);
    const dpop = await dpopOf(late, { accessToken: authorization.accessToken, claims: { iat: fresh } });
    const headers = { 'content-type': 'application/json', authorization: `DPoP ${authorization.accessToken}`, dpop };
    expect(await errorOf(url, { headers, body })).toBe('400 invalid_nonce');
    ahead = 0;
  });
});

it.each([
  ['jwk', ({ jwk }: WalletKey) => ({ jwk })],
  ['did:jwk', ({ jwk }: WalletKey) => ({ kid: `did:jwk:${base64url.encode(JSON.stringify(jwk))}#0` })],
  ['did:key', ({ jwk }: WalletKey) => ({ kid: didKeyOf(jwk) })],
  ['a key of did:key', ({ jwk }: WalletKey) => ({ kid: `${didKeyOf(jwk)}#${didKeyOf(jwk).slice('did:key:'.length)}` })],
])('A proof names its key by %s', async (_way, named) => {
  const open = await authorized(world);
  const proof = await proofOf(open, ({ key, header }) => ({ header: { ...header, jwk: undefined, ...named(key) } }));
  expect(await sendProofs(open, { jwt: [proof] })).toBe('200 undefined');
});
