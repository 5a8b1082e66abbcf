// The form for wallets, read by nothing but jose and node:crypto.
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { compactVerify, exportJWK, importX509 } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuerHolder } from '../../../src/certificates/certificate-holders.service.js';
import type { CertifiedSigner } from '../../../src/certificates/certificates.service.js';
import { checkedCondition } from '../../../src/conditions/index.js';
import { walletClaims } from '../../../src/issuance/wallets/claims.js';
import { signWalletCredential } from '../../../src/issuance/wallets/credential.js';
import { type Membership, startMembership } from '../../support/membership.js';

const POINTS = [
  { name: 'birthDate', type: 'date' },
  { name: 'address.city', type: 'string' },
  { name: 'address.zip', type: 'string' },
  { name: 'tags', type: 'string[]' },
  { name: 'missing', type: 'string' },
].map((point) => ({ ...point, title: '', description: '', isRequired: false }));
const DERIVED = [
  ['age_equal_or_over.18', 'birthDate <= today - 18 years'],
  ['age_equal_or_over.65', 'birthDate <= today - 65 years'],
].map(([name = '', condition = '']) => ({ name, condition, parsed: checkedCondition(condition, POINTS) }));
const SUBJECT = { birthDate: '1990-02-03', address: { city: 'Bern', zip: '3000' }, tags: ['a', { b: 1 }] };
const NOW = Date.parse('2026-06-15T13:14:15Z');

type Json = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: tests read JSON of every shape.
const json = (text = ''): any => JSON.parse(Buffer.from(text, 'base64url').toString());
const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Puts disclosures where their digests are (RFC 9901 §7.1). */
function disclosed(value: unknown, byDigest: ReadonlyMap<string, [string, string, unknown]>): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const { _sd = [], _sd_alg, ...rest } = value as Json & { _sd?: string[] };
  const own = _sd.flatMap((one) => (byDigest.has(one) ? [byDigest.get(one) as [string, string, unknown]] : []));
  const members = [...Object.entries(rest), ...own.map(([, name, content]) => [name, content] as const)];
  return Object.fromEntries(members.map(([name, content]) => [name, disclosed(content, byDigest)]));
}

describe('A credential for wallets', () => {
  let membership: Membership;
  let certified: CertifiedSigner;
  const holder = issuerHolder({ _id: 'club', name: 'Club' }, 'http://localhost:4000');
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  beforeAll(async () => {
    membership = await startMembership();
    certified = (await membership.gateway.app.services.certificates.signer(holder)) as CertifiedSigner;
  });
  afterAll(() => membership?.gateway.close());

  const issue = async (expiresAt: Date | null = null, signer: Partial<CertifiedSigner> = {}) => {
    const claims = walletClaims(SUBJECT, { dataPoints: POINTS, derived: DERIVED }, NOW);
    const facts = {
      ...{ iss: 'http://localhost:4000/oid4vci/club', vct: 'urn:example:member', issuedAt: new Date(NOW), expiresAt },
      ...{
        key: await exportJWK(key),
        instance: { key: 'k', list: 'club.w1', index: 7 },
        publicUrl: 'http://localhost:4000',
      },
    };
    return signWalletCredential(facts, claims, { ...certified, notBefore: new Date(0), ...signer });
  };

  it('is signed with the key of its certificate, and is bound to the key of the wallet', async () => {
    const [jwt = '', ...rest] = (await issue(new Date(NOW + 1_500))).split('~');
    expect(rest.at(-1)).toBe('');
    const { x5c = [], ...header } = json(jwt.split('.')[0]) as { x5c?: string[] };
    expect(header).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256', kid: certified.signer.kid });
    const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'));
    await compactVerify(jwt, await importX509(leaf.toString(), 'ES256'));
    expect(json(jwt.split('.')[1])).toMatchObject({
      iss: 'http://localhost:4000/oid4vci/club',
      vct: 'urn:example:member',
      iat: Date.parse('2026-06-15T00:00:00Z') / 1_000,
      exp: Math.floor(NOW / 1_000) + 1,
      cnf: { jwk: { kty: 'EC', crv: 'P-256' } },
      status: { status_list: { uri: 'http://localhost:4000/v1/credentials/token-status-lists/club.w1', idx: 7 } },
      _sd_alg: 'sha-256',
    });
    expect(JSON.stringify(json(jwt.split('.')[1]))).not.toMatch(/Bern|1990|"sub"/);
  });

  it('has a disclosure for each data point at its path, and for each claim whose condition was met', async () => {
    const [jwt = '', ...rest] = (await issue()).split('~');
    const disclosures = rest.slice(0, -1).map((text) => [digest(text), json(text)] as const);
    expect(disclosures.map(([, [, name]]) => name).sort()).toEqual(['18', 'birthDate', 'city', 'tags', 'zip']);
    const { iss, vct, iat, cnf, status, ...claims } = disclosed(json(jwt.split('.')[1]), new Map(disclosures)) as Json;
    expect(claims).toEqual({ ...SUBJECT, age_equal_or_over: { '18': true } });
    const one = disclosures.filter(([, [, name]]) => name === 'zip');
    expect(disclosed(json(jwt.split('.')[1]), new Map(one))).toMatchObject({ address: { zip: '3000' } });
  });

  it('does not say that it was issued before its certificate', async () => {
    const notBefore = new Date(NOW - 60_500);
    const [jwt = ''] = (await issue(null, { notBefore })).split('~');
    expect(json(jwt.split('.')[1])).toMatchObject({ iat: Math.ceil(notBefore.getTime() / 1_000) });
  });

  it('ends at the midnight before if it is good for a week or longer, at the full hour for a day: seconds would link copies', async () => {
    const DAY_MS = 86_400_000;
    const endOf = async (lastsMs: number) => json((await issue(new Date(NOW + lastsMs))).split('.')[1]).exp * 1_000;
    expect(await endOf(DAY_MS)).toBe(Date.parse('2026-06-16T13:00:00Z'));
    expect(await endOf(DAY_MS - 1_000)).toBe(NOW + DAY_MS - 1_000);
    expect(await endOf(7 * DAY_MS - 1_000)).toBe(Date.parse('2026-06-22T13:00:00Z'));
    expect(await endOf(7 * DAY_MS)).toBe(Date.parse('2026-06-22T00:00:00Z'));
    expect(await endOf(365 * DAY_MS + 45 * 60_000)).toBe(Date.parse('2027-06-15T00:00:00Z'));
    expect(await endOf(365 * DAY_MS + 11 * 3_600_000)).toBe(Date.parse('2027-06-16T00:00:00Z'));
  });

  it('has salts of its own in each copy', async () => {
    const copies = await Promise.all([issue(), issue()]);
    const [first, second] = copies.map((copy) => copy.split('~').slice(1, -1));
    expect(first?.filter((text) => second?.includes(text))).toEqual([]);
  });
});
