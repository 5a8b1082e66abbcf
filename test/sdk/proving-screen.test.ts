// The screens of a verification: what is asked, what that discloses, and what the page learns of a holder who proves nothing.
import { expect, it } from 'vitest';
import type { VcStatus } from '../../src/issuance/types.js';
import { outcomeWithoutProof } from '../../src/verification/outcome/statuses.js';
import { provingScreen, unmetScreen, unmetStatus } from '../../src/wallet/credentials/proving-screen.js';
import { textsOf } from '../../src/wallet/texts.js';

const partsIn = (locale: string) => ({ texts: () => textsOf(locale), locale: () => locale, partner: { name: 'Rent' } });
const parts = partsIn('en');
const FORMS = [
  { field: 'memberSince', family: 'date', lte: '2024-02-29' },
  { field: 'level', family: 'number', gte: 2.5, not: [7] },
  { field: 'country', family: 'text', equals: 'AT' },
] as const;
const requestWith = (conditions: readonly object[], more: object = {}) => ({
  program: { name: 'Tenants', verifierName: 'V', verifierDid: 'did:web:v.example', cak: false, ...more },
  accepted: [
    {
      ...{ credentialId: 'id', name: 'Identity', issuerName: 'I' },
      fields: [
        { name: 'memberSince', title: 'Member since' },
        { name: 'level', title: 'Level' },
      ],
      conditions: conditions as never,
    },
  ],
});
const held = (...met: boolean[]) => ({
  explanation: { credentialId: 'id', conditions: met.map((one) => ({ met: one })) },
});
const byName = (facts: readonly { name: string; value: string }[]) =>
  Object.fromEntries(facts.map(({ name, value }) => [name, value]));

it('the screen of a proof shows its conditions by the titles of the schema, with values as the locale has them', () => {
  const english = byName(provingScreen(parts, requestWith(FORMS), held()).facts);
  expect(english.Conditions).toBe(
    'Member since: on February 29, 2024 or earlier\nLevel: at least 2.5\nLevel: is not 7\ncountry: is AT',
  );
  const german = byName(provingScreen(partsIn('de'), requestWith(FORMS), held()).facts);
  expect(german.Bedingungen).toContain('Member since: am 29. Februar 2024 oder früher\nLevel: mindestens 2,5');
});

it('the screen of a proof says all that is disclosed: also with which credential, equal values, and what is learned later', () => {
  expect(byName(provingScreen(parts, requestWith(FORMS), held()).facts)['What is disclosed']).toBe(
    'That you meet the conditions, and with which credential\ncountry: AT\nLater, Rent also learns if this credential is revoked or expires',
  );
  const without = byName(provingScreen(parts, requestWith([]), held()).facts);
  expect(Object.keys(without)).toEqual(['Verifier', 'Credential', 'What is disclosed']);
  expect(without['What is disclosed']).toContain('That you have this credential');
});

it('the question of a CAK is beside what it is about', () => {
  const { facts, check } = provingScreen(parts, requestWith([], { cak: true }), held());
  expect(facts.at(-1)).toEqual({
    name: 'For compliance',
    value: expect.stringContaining('what I has stored about you'),
  });
  expect(check).toBe('V may have this key.');
});

const statuses = ['ONCHAIN', 'EXPIRE', 'REMOVE', 'WAIT_REMOVE'] as const satisfies VcStatus[];
const claimsOf = (...all: readonly VcStatus[]) => all.map((vcStatus) => ({ credentialId: 'id', vcStatus }));

it('what the page is said to learn is what the gateway tells it', () => {
  const lists: VcStatus[][] = [[], ...statuses.flatMap((a) => [[a], ...statuses.map((b) => [a, b])])];
  for (const list of lists) expect(unmetStatus(claimsOf(...list)), list.join()).toBe(outcomeWithoutProof(list).status);
});

it.each([
  ['no credential', [], 'you have no credential that it accepts', 'You have no credential that it accepts.'],
  ['an expired one', ['EXPIRE'], 'has expired', 'Identity (I) has expired.'],
  ['a revoked one', ['REMOVE'], 'was revoked', 'Identity (I) was revoked.'],
  ['one that is being revoked', ['WAIT_REMOVE'], 'is being revoked', 'Identity (I) is being revoked.'],
  [
    'one that cannot be read here',
    ['ONCHAIN'],
    'you have a credential that it accepts',
    'Identity (I) cannot be proven',
  ],
] as const)('of %s, the screen says what the page learns, and why to the holder alone', (_name, all, told, why) => {
  const screen = unmetScreen(parts, { ...requestWith(FORMS), candidates: claimsOf(...all) }, undefined, undefined);
  expect(screen.hint).toContain(`Continue tells Rent that`);
  expect(screen.hint).toContain(told);
  expect(byName(screen.facts)['Your credentials']).toContain(why);
});

it('the screen of what is not met names each condition that is not', () => {
  const request = { ...requestWith(FORMS), candidates: claimsOf('ONCHAIN') };
  const { facts } = unmetScreen(parts, request, held(true, false, true, false), undefined);
  expect(byName(facts).Conditions).toBe('Not met: Level: at least 2.5\nNot met: country: is AT');
});
