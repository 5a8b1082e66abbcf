// What is wrong, in the words of the forms: no names of the API.
import { expect, it } from 'vitest';
import { inWords } from '../../src/console/api/fault.js';
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
