// The screen on which a user consents to a proof: what is asked, and what that discloses.
import { expect, it } from 'vitest';
import { provingScreen } from '../../src/wallet/credentials/proving-screen.js';
import { textsOf } from '../../src/wallet/texts.js';

const parts = { texts: () => textsOf('en'), partner: { name: 'Rent' } };
const request = {
  program: { name: 'Tenants', verifierName: 'V', verifierDid: 'did:web:v.example', cak: false },
  accepted: [{ credentialId: 'id', name: 'Identity', issuerName: 'I', fields: [], conditions: [] }],
};
const factsWith = (...conditions: string[]) => {
  const explanation = { credentialId: 'id', conditions: conditions.map((condition) => ({ condition })) };
  const { facts } = provingScreen(parts, request, { explanation });
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]));
};

it('the screen of a proof shows its conditions, and that only these are disclosed', () => {
  expect(factsWith('level >= 2', 'age > 18')).toMatchObject({
    Conditions: 'level >= 2\nage > 18',
    'What is disclosed': 'Only that you meet the conditions',
  });
});

it('the screen of a proof without conditions names none, and says that having the credential is disclosed', () => {
  const facts = factsWith();
  expect(Object.keys(facts)).toEqual(['Verifier', 'Credential', 'What is disclosed']);
  expect(facts['What is disclosed']).toBe('Only that you have this credential');
});
