// What is wrong, in the words of the forms: no names of the API.
import { expect, it } from 'vitest';
import { inWords } from '../../src/console/api/fault.js';
import { placeWords, textOf } from '../../src/console/operator/editor/clash-words.js';
import { subjectSentence, typeWords } from '../../src/console/partner/field-words.js';

it.each([
  ['"variables.input.issuedFrom" must be a date-time in ISO 8601.', 'variables.input.issuedFrom', '“Issued from” must'],
  ['"jwks.keys[0].kid" is missing.', 'jwks.keys[0].kid', '“Kid” is missing'],
  ['"credentialId" must not be empty.', 'credentialId', '“Id of the credential” must not'],
  ['"allowedOrigins[2]" must be an origin.', 'allowedOrigins[2]', '“Allowed origins” must'],
])('%s names the field of the form', (message, field, beginning) => {
  expect(inWords(message, field)).toContain(beginning);
  expect(inWords(message, field)).not.toContain(field);
});

it('a sentence that begins with something else stays', () => {
  expect(inWords('"club" cannot be retired.', 'issuerId')).toBe('"club" cannot be retired.');
});

it('what is wrong with a subject has the titles of its fields, and words for their types', () => {
  const fields = [
    { name: 'a', title: '', type: 'string' },
    { name: 'a.b', title: 'Born on', type: 'date' },
    { name: 'level', title: 'Level', type: 'integer' },
  ];
  const message =
    '"credentialSubject" does not fit the schema: a.b must be of type date, such as 2030-12-31; level must be of type integer; a is missing; x is not a data point.';
  expect(subjectSentence(message, fields)).toBe(
    '“Born on” must be: date, such as 2030-12-31; “Level” must be: whole number; “a” is missing; x is not a data point.',
  );
  expect(subjectSentence('The store is away.', fields)).toBe('The store is away.');
});

it.each([
  ['integer', 'whole number'],
  ['boolean', 'true or false'],
  ['date-time', 'date and time, with its zone'],
  ['string[]', 'list, as JSON'],
  ['any', 'JSON'],
])('a field of the type %s takes: %s', (type, words) => {
  expect(typeWords(type)).toBe(words);
});

it('the place of a clash has the labels of the form, and ids of entries as they are', () => {
  const labels = { dataPoints: 'Data points', gasPolicy: 'How much gas it pays for' };
  const record = { dataPoints: [{ name: 'isRequired' }], gasPolicy: { mintsPerDay: 5 } };
  const words = (...place: string[]) => placeWords(place, labels, [record]);
  expect(words('dataPoints')).toBe('Data points');
  expect(words('dataPoints', 'isRequired', 'isRequired')).toBe('Data points › isRequired › Must be there');
  expect(words('gasPolicy', 'mintsPerDay')).toBe('How much gas it pays for › Mints per day');
});

it('what differs is said as a person would write it', () => {
  const accepted = { credentialId: 'club', verificationConditions: ['a = 1', 'b > 2'], isRequired: true, note: null };
  expect(textOf(accepted)).toBe(
    'Id of the credential: club\nConditions: a = 1\nb > 2\nMust be there: yes\nNote: (nothing)',
  );
  expect([textOf(''), textOf([]), textOf(7), textOf(false)]).toEqual(['(nothing)', '(nothing)', '7', 'no']);
});
