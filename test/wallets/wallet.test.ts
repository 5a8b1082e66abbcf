// The wallet that judges us is right itself: vectors of the specifications, and messages that it has to refuse.
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { valuesAt } from './credential.js';
import { parseQuery } from './dcql.js';
import { SpecFault } from './faults.js';
import { disclosed, type Path, parse, withOnly } from './sd-jwt.js';
import { statusAt } from './status-list.js';
import { jsonOf, mustNotBeStored, wellKnown } from './strict-http.js';
import { claimsOf, displaysOf } from './type-metadata.js';

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const SALT = 'a'.repeat(22);
/** An SD-JWT without a signature: the digests of these disclosures stand in its payload. */
function sdJwtOf(disclosures: unknown[]) {
  const sdJwt = parse(['e.e.e', ...disclosures.map(encoded), ''].join('~'));
  return { ...sdJwt, digests: sdJwt.disclosures.map(({ digest }) => digest) };
}

describe('The wallet from the specifications', () => {
  it('hashes disclosures as RFC 9901, 4.2.3', () => {
    const disclosure = 'WyJfMjZiYzRMVC1hYzZxMktJNmNCVzVlcyIsICJmYW1pbHlfbmFtZSIsICJNw7ZiaXVzIl0';
    expect(parse(`e.e.e~${disclosure}~`).disclosures).toEqual([
      {
        encoded: disclosure,
        digest: 'X9yH0Ajrdm1Oij4tWso9UzzKJvPoDxwmuEcO3XAdRC0',
        salt: '_26bc4LT-ac6q2KI6cBW5es',
        name: 'family_name',
        value: 'Möbius',
      },
    ]);
  });

  it('reads the status list of the draft from the lowest bit on', () => {
    const statuses = Array.from({ length: 16 }, (_, idx) => statusAt({ bits: 1, lst: 'eNrbuRgAAhcBXQ' }, idx));
    expect(statuses).toEqual([1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1]);
    const long =
      'eNrt3AENwCAMAEGogklACtKQPg9LugC9k_ACvreiogEAAKkeCQAAAAAAAAAAAAAAAAAAAIBylgQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXG9IAAAAAAAAAPwsJAAAAAAAAAAAAAAAvhsSAAAAAAAAAAAA7KpLAAAAAAAAAAAAAAAAAAAAAJsLCQAAAAAAAAAAADjelAAAAAAAAAAAKjDMAQAAAACAZC8L2AEb';
    for (const idx of [0, 1993, 25460, 159495, 495669, 1000345]) expect(statusAt({ bits: 1, lst: long }, idx)).toBe(1);
    expect(statusAt({ bits: 1, lst: long }, 1994)).toBe(0);
  });

  it('refuses a place beyond the end of a list, and a list that grows without end', () => {
    expect(() => statusAt({ bits: 1, lst: 'eNrbuRgAAhcBXQ' }, 16)).toThrow(SpecFault);
    expect(() => statusAt({ bits: 1, lst: deflateSync(Buffer.alloc(10_000_000)).toString('base64url') }, 0)).toThrow();
  });

  it('shows the claims that are asked for, with what they stand in', () => {
    const street = sdJwtOf([[SALT, 'street', 'Main']]);
    const sdJwt = sdJwtOf([
      [SALT, 'address', { _sd: street.digests }],
      [SALT, 'street', 'Main'],
      [SALT, 'name', 'Ada'],
      [SALT, 'de'],
    ]);
    const [address, , name, element] = sdJwt.digests;
    const payload = { _sd: [address, name], spoken: [{ '...': element }, { '...': 'of somebody else' }] };
    const { claims, found } = disclosed(payload, sdJwt.disclosures);
    expect(claims).toEqual({ address: { street: 'Main' }, name: 'Ada', spoken: ['de'] });
    const shown = (...paths: Path[]) =>
      parse(withOnly(sdJwt, found, paths)).disclosures.map(({ name: claim, value }) => claim ?? value);
    expect(shown(['address', 'street']).sort()).toEqual(['address', 'street']);
    expect(shown(['name'])).toEqual(['name']);
    expect(shown(['spoken', null])).toEqual(['de']);
    expect(shown()).toEqual([]);
  });

  const one = sdJwtOf([[SALT, 'name', 'Ada']]);
  const [digest = ''] = one.digests;
  it.each([
    ['a disclosure without its digest', { _sd: [] }, one.disclosures],
    ['a digest twice', { _sd: [digest, digest] }, one.disclosures],
    ['a disclosure twice', { _sd: [digest] }, [...one.disclosures, ...one.disclosures]],
    ['a claim that is there already', { _sd: [digest], name: 'Eve' }, one.disclosures],
    ['a claim in a list', { spoken: [{ '...': digest }] }, one.disclosures],
    ['another hash', { _sd: [digest], _sd_alg: 'sha-512' }, one.disclosures],
    ['a claim named _sd', { _sd: sdJwtOf([[SALT, '_sd', []]]).digests }, sdJwtOf([[SALT, '_sd', []]]).disclosures],
  ])('refuses an SD-JWT with %s', (_fault, payload, disclosures) => {
    expect(() => disclosed(payload, disclosures)).toThrow(SpecFault);
  });

  it.each([
    ['a short salt', [['short', 'name', 'Ada']]],
    ['four parts', [[SALT, 'name', 'Ada', 1]]],
    ['a name that is no text', [[SALT, 1, 'Ada']]],
  ])('refuses a disclosure with %s', (_fault, disclosures) => {
    expect(() => sdJwtOf(disclosures)).toThrow(SpecFault);
  });

  const query = { id: 'c0', format: 'dc+sd-jwt', meta: { vct_values: ['t'] } };
  const claim = { id: 'a', path: ['name'], values: ['Ada', 1, true] };
  it.each([
    ['no credentials', {}],
    ['an id of other letters', { credentials: [{ ...query, id: 'c 0' }] }],
    ['an id twice', { credentials: [query, query] }],
    ['no type', { credentials: [{ ...query, meta: {} }] }],
    ['another format', { credentials: [{ ...query, format: 'mso_mdoc' }] }],
    ['a claim twice', { credentials: [{ ...query, claims: [claim, { ...claim, id: 'b' }] }] }],
    ['an empty list of values', { credentials: [{ ...query, claims: [{ ...claim, values: [] }] }] }],
    ['a value that is no whole number', { credentials: [{ ...query, claims: [{ ...claim, values: [1.5] }] }] }],
    ['claim sets without claims', { credentials: [{ ...query, claim_sets: [['a']] }] }],
    ['claim sets of other claims', { credentials: [{ ...query, claims: [claim], claim_sets: [['b']] }] }],
    ['options of other queries', { credentials: [query], credential_sets: [{ options: [['c1']] }] }],
    ['a member of nobody', { credentials: [{ ...query, purpose: 'because' }] }],
  ])('refuses a query with %s', (_fault, value) => {
    expect(() => parseQuery(value)).toThrow(SpecFault);
    const right = { credentials: [{ ...query, claims: [claim], claim_sets: [['a']] }] };
    expect(parseQuery({ ...right, credential_sets: [{ options: [['c0']] }] }).credentials).toHaveLength(1);
  });

  it('follows claims path pointers', () => {
    const claims = { name: 'Ada', degrees: [{ type: 'BSc' }, { type: 'MSc' }] };
    expect(valuesAt(claims, ['degrees', null, 'type'])).toEqual(['BSc', 'MSc']);
    expect(valuesAt(claims, ['degrees', 1, 'type'])).toEqual(['MSc']);
    expect(valuesAt(claims, ['name', 'first'])).toEqual([]);
    expect(valuesAt(claims, ['constructor'])).toEqual([]);
  });

  it('refuses texts for people and descriptions of claims that contradict each other', () => {
    expect(() => displaysOf([{ locale: 'en' }, { locale: 'en' }], 'display', [])).toThrow(SpecFault);
    expect(() => displaysOf([{ locale: 'en' }], 'display', ['name'])).toThrow(SpecFault);
    expect(() => displaysOf([{ locale: 'in English' }], 'display', [])).toThrow(SpecFault);
    expect(() => claimsOf([{ path: ['a'] }, { path: ['a'] }], 'claims')).toThrow(SpecFault);
    expect(() => claimsOf([{ path: [] }], 'claims')).toThrow(SpecFault);
    expect(() => claimsOf([{ path: [-1] }], 'claims')).toThrow(SpecFault);
  });

  it('asks for well-known documents between host and path, and takes them by their media type', () => {
    expect(wellKnown('https://a.example/b/c', 'jwt-vc-issuer')).toBe('https://a.example/.well-known/jwt-vc-issuer/b/c');
    const answer = { url: 'https://a.example', status: 200, text: '{}' };
    expect(() => jsonOf({ ...answer, headers: new Headers({ 'content-type': 'text/json' }) })).toThrow(SpecFault);
    expect(jsonOf({ ...answer, headers: new Headers({ 'content-type': 'application/json; charset=utf-8' }) })).toEqual(
      {},
    );
    expect(() => mustNotBeStored({ ...answer, headers: new Headers({ 'cache-control': 'no-cache' }) })).toThrow(
      SpecFault,
    );
  });
});
