// What operators send to write and to retire an entry (contract §7): its id, its content, and the etag that it must still have.
import { z } from 'zod';
import { input } from '../../base/record.js';
import { preconditionMembers } from '../../http/requests/preconditions.js';
import { contents } from './bodies.js';
import { ENTRY_ID } from './body-fields.js';

const matched = preconditionMembers('entry');

const NOT_AN_ID = 'must be 1 to 500 printable characters without white space';
const idOf = (noun: string) =>
  z
    .string()
    .min(1, NOT_AN_ID)
    .max(500, 'must be at most 500 characters')
    .refine((text) => ENTRY_ID.test(text), NOT_AN_ID)
    .describe(`Id of the ${noun}: 1 to 500 printable characters without white space.`);

export const putIssuerInput = input('PutIssuerInput', 'The new content of an issuer; replaces the whole entry.', {
  issuerId: idOf('issuer'),
  ...contents.issuers,
  ...matched,
});

export const putVerifierInput = input('PutVerifierInput', 'The new content of a verifier; replaces the whole entry.', {
  verifierId: idOf('verifier'),
  ...contents.verifiers,
  ...matched,
});

export const putSchemaInput = input(
  'PutSchemaInput',
  'The new content of a schema: a JSON Schema document, or title, description and data points. Different content becomes a new version.',
  { schemaId: idOf('schema'), ...contents.schemas, ...matched },
);

export const putCredentialInput = input(
  'PutCredentialInput',
  'The new content of a credential; replaces the whole entry.',
  { credentialId: idOf('credential'), ...contents.credentials, ...matched },
);

export const putProgramInput = input('PutProgramInput', 'The new content of a program; replaces the whole entry.', {
  programId: idOf('program'),
  ...contents.programs,
  ...matched,
});

/** An entry to retire. An empty id is valid and has no entry, like any unknown id; REST's path cannot have one. */
export const retireInput = (typeName: string, idMember: string): z.ZodObject =>
  input(`Retire${typeName}Input`, `Which ${typeName.toLowerCase()} to retire.`, {
    [idMember]: z.string().max(500).meta({ minLength: 1 }).describe(`Id of the ${typeName.toLowerCase()}.`),
    ifMatch: matched.ifMatch,
  });
