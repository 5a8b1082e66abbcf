// Keys that another issuer publishes: how often its server is asked for them, and for how long.
import { decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AGAIN_MS } from '../../src/http/outbound/issuer-reads.js';
import {
  type IssuerKeysOptions,
  type IssuerTrust,
  WalletIssuerKeys,
} from '../../src/certificates/issuer-keys.service.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { newKey } from '../openid4vci/wallet.js';
import { type ForeignIssuer, startForeignIssuer } from './foreign-issuer.js';

let issuer: ForeignIssuer;
let keys: WalletIssuerKeys;
let now: number;
let signals: (AbortSignal | undefined)[];
beforeEach(async () => {
  issuer = await startForeignIssuer();
  now = 1_000_000;
  signals = [];
  const fetch = guardedFetch({ allowLoopback: true });
  const options = {
    clock: () => now,
    outbound: (url, request) => {
      signals.push(request?.signal);
      return fetch(url, request);
    },
  } satisfies Omit<IssuerKeysOptions, 'signingKeys'>;
  keys = new WalletIssuerKeys(options as unknown as IssuerKeysOptions);
});
afterEach(() => issuer.close());

const verified = async (kid: string, key?: Awaited<ReturnType<typeof newKey>>): Promise<boolean> => {
  const { credential } = await issuer.issue({ header: { kid, x5c: undefined }, ...(key && { key }) });
  const [jwt = ''] = credential.split('~');
  const trust: IssuerTrust = { by: 'published keys', issuerId: 'foreign', iss: issuer.url };
  return (await keys.verified(jwt, decodeProtectedHeader(jwt), trust)) !== undefined;
};

it('a set of keys at an address of its own is read within the time of one read', async () => {
  const { jwks } = issuer.metadata(issuer.url) as { jwks: object };
  issuer.metadata = (iss) => ({ issuer: iss, jwks_uri: `${iss}/.well-known/keys`, ...jwks });
  expect(await verified('one')).toBe(true);
  expect(issuer.asked).toEqual(['/.well-known/jwt-vc-issuer', '/.well-known/keys']);
  const [first, second] = signals;
  expect(first).toBeInstanceOf(AbortSignal);
  expect(second).toBe(first);
});

it('an issuer whose keys cannot be read is not asked for each presentation', async () => {
  const { metadata } = issuer;
  issuer.metadata = () => ({});
  for (let time = 0; time < 3; time += 1) expect(await verified('one')).toBe(false);
  issuer.metadata = metadata;
  now += AGAIN_MS;
  expect(await verified('one')).toBe(true);
  expect(issuer.asked).toHaveLength(2);
});

it('a new key is found after 10 s, and names of keys that do not exist cause one request in 10 s', async () => {
  expect(await verified('one')).toBe(true);
  const key = await newKey();
  issuer.metadata = (iss) => ({ issuer: iss, jwks: { keys: [{ ...key.jwk, kid: 'two' }] } });
  expect(await verified('two', key)).toBe(false);
  now += AGAIN_MS;
  expect(await verified('two', key)).toBe(true);
  for (let time = 0; time < 3; time += 1) expect(await verified(`none-${time}`)).toBe(false);
  expect(issuer.asked).toHaveLength(2);
});

it('a set of over 100 keys is not used', async () => {
  const { jwks } = issuer.metadata(issuer.url) as { jwks: { keys: object[] } };
  const filler = Array.from({ length: 100 }, () => ({ kty: 'oct' }));
  issuer.metadata = (iss) => ({ issuer: iss, jwks: { keys: [...jwks.keys, ...filler] } });
  expect(await verified('one')).toBe(false);
});
