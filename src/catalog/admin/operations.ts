// Operators' writes to the catalog, and the impact of a schema's change (contract §7, §17). Operations that only REST has (look-up, list,
// import) are in admin.routes.ts.
import { z } from 'zod';
import { DomainError } from '../../base/errors.js';
import { choice, record } from '../../base/record.js';
import type { Precondition } from '../../http/requests/preconditions.js';
import { type Operation, operationsOf } from '../../http/routes/operation.js';
import { KINDS } from '../lists/kinds.js';
import type { CatalogService } from '../reading/catalog.js';
import { entryParams } from '../records/entry-params.js';
import { credential, issuer, program, schema, verifier } from '../records/types.js';
import { CATALOG_KINDS, type CatalogKind } from '../rows/models.js';
import type { CatalogAdmin } from './admin.js';
import { DOCUMENT_MEMBER, PUT_BODIES } from './bodies.js';
import {
  putCredentialInput,
  putIssuerInput,
  putProgramInput,
  putSchemaInput,
  putVerifierInput,
  retireInput,
} from './inputs.js';
import type { CatalogRecord, Noun, PutResult } from './kind.js';
import { ADMIN_RECORDS, schemaImpact } from './records.js';
import type { SchemaImpacts } from './schema-impact.service.js';

interface CatalogWriteServices {
  catalog: CatalogService;
  catalogAdmin: CatalogAdmin;
  schemaImpacts: SchemaImpacts;
}

const { query, mutation } = operationsOf<CatalogWriteServices>();

/** Bytes. A schema's document may be long; everything else is much shorter. */
const BODY_LIMIT = 1_048_576;
export const UNKNOWN = 'There is no such entry, or it is retired.';
export const quoted = (etag: string) => ({ etag: `"${etag}"` });

interface KindForm {
  noun: Noun;
  input: z.ZodObject;
  /** The entry in GraphQL. */
  entry: z.ZodObject;
  /** The live entries that need it: while there are any, it cannot be retired. */
  neededBy?: string;
}

const FORMS: Readonly<Record<CatalogKind, KindForm>> = {
  issuers: { noun: 'issuer', input: putIssuerInput, entry: issuer, neededBy: 'credentials' },
  verifiers: { noun: 'verifier', input: putVerifierInput, entry: verifier, neededBy: 'programs' },
  schemas: { noun: 'schema', input: putSchemaInput, entry: schema, neededBy: 'credentials' },
  credentials: { noun: 'credential', input: putCredentialInput, entry: credential },
  programs: { noun: 'program', input: putProgramInput, entry: program },
};

const one = (noun: Noun): string => `${noun === 'issuer' ? 'an' : 'a'} ${noun}`;

const putResult = choice('PutResult', 'The result of writing an entry.', {
  created: 'There was no such entry, or it had been retired.',
  updated: 'The entry was replaced.',
  unchanged: 'The entry already had this content; nothing was written.',
});

/** The result of a put: REST has the operator's record, GraphQL reads the entry. */
interface Written {
  record: CatalogRecord;
  result: PutResult;
  etag: string;
  entry(): Promise<object>;
}

/** The parts of an input: the entry's id, its content, and the precondition. */
function partsOf(input: Readonly<Record<string, unknown>>, idMember: string) {
  const { [idMember]: id, ifMatch, ifNoneMatch, ...body } = input;
  return { id: String(id), body, precondition: { ifMatch, ifNoneMatch } as Precondition };
}

function putOperation(kind: CatalogKind): Operation {
  const { noun, input, entry } = FORMS[kind];
  const { typeName } = KINDS[kind];
  const idMember = `${noun}Id`;
  return mutation(`put${typeName}`, `Creates or replaces ${one(noun)}. Operator only.`, {
    callers: 'operator',
    role: 'catalog',
    audit: `${noun}.put`,
    input,
    output: z.custom<Written>(),
    async run({ catalog, catalogAdmin }, { caller, input }) {
      const { id, body, precondition } = partsOf(input, idMember);
      const outcome = await catalogAdmin.put(caller, kind, id, body, precondition);
      return { ...outcome, entry: () => writtenEntry(catalog, kind, id) };
    },
    rest: {
      method: 'PUT',
      path: `/v1/admin/${kind}/:id`,
      members: { id: idMember },
      headers: { 'if-match': 'ifMatch', 'if-none-match': 'ifNoneMatch' },
      summary: `Create or replace an entry of ${kind}; the same body again changes nothing`,
      answers: { 200: ADMIN_RECORDS[kind] },
      fails: { 409: 'It conflicts with another entry, or would break a live program (contract §17).' },
      bodyLimit: BODY_LIMIT,
      ...(kind === 'schemas' ? { exactMember: DOCUMENT_MEMBER } : {}),
      respond: ({ record: body, etag }) => ({ body, headers: quoted(etag) }),
    },
    graphql: {
      payload: record(`Put${typeName}Payload`, `The ${noun} after the call.`, {
        [noun]: entry.describe('The entry.'),
        result: putResult.describe('The result of the call.'),
        etag: z.string().describe('Changes with every content change; for `ifMatch`.'),
      }),
      show: async ({ entry, result, etag }) => ({ [noun]: await entry(), result, etag }),
    },
  });
}

async function writtenEntry(catalog: CatalogService, kind: CatalogKind, id: string): Promise<object> {
  const [entry] = await catalog.byIds(kind, [id]);
  if (!entry) throw new DomainError('CONFLICT', `The entry ${id} was written, but has been retired since.`);
  return entry;
}

const retirePayload = record('RetirePayload', 'The retired entry.', {
  retiredId: z.string().describe('Id of the retired entry, which lists and look-ups no longer include.'),
});

function retireOperation(kind: CatalogKind): Operation {
  const { noun, neededBy } = FORMS[kind];
  const { typeName } = KINDS[kind];
  const idMember = `${noun}Id`;
  const unless = neededBy === undefined ? '' : `, unless live ${neededBy} need it`;
  return mutation(`retire${typeName}`, `Retires ${one(noun)}${unless}. Operator only.`, {
    callers: 'operator',
    role: 'catalog',
    audit: `${noun}.retire`,
    input: retireInput(typeName, idMember),
    run({ catalogAdmin }, { caller, input }) {
      const { id, precondition } = partsOf(input, idMember);
      return catalogAdmin.retire(caller, kind, id, precondition);
    },
    rest: {
      method: 'DELETE',
      path: `/v1/admin/${kind}/:id`,
      members: { id: idMember },
      headers: { 'if-match': 'ifMatch' },
      summary: `Retire an entry of ${kind}; refused while live entries need it`,
      fails: { 404: UNKNOWN, 409: 'Live entries need it.' },
    },
    graphql: { payload: retirePayload, show: (_nothing, input) => ({ retiredId: input[idMember] }) },
  });
}

export const catalogWriteOperations: readonly Operation[] = [
  ...CATALOG_KINDS.flatMap((kind) => [putOperation(kind), retireOperation(kind)]),

  query(
    'schemaImpact',
    'What would break if every live credential on a schema were moved to this content. Operator only.',
    {
      callers: 'operator',
      input: putSchemaInput,
      output: schemaImpact,
      run: ({ schemaImpacts }, { caller, input: { schemaId, ifMatch: _match, ifNoneMatch: _noneMatch, ...body } }) =>
        schemaImpacts.impact(caller, schemaId, body),
      rest: {
        method: 'POST',
        path: '/v1/admin/schemas/:id/impact',
        request: {
          params: entryParams,
          body: PUT_BODIES.schemas,
          input: ({ params, body }) => ({ ...Object(body), schemaId: params.id }),
        },
        summary: 'What this schema content would break: conditions of programs, and live credentials',
        bodyLimit: BODY_LIMIT,
        exactMember: DOCUMENT_MEMBER,
        fails: { 404: 'There is no such schema.' },
      },
      graphql: { argument: 'The proposed schema; `ifMatch` and `ifNoneMatch` are ignored.' },
    },
  ),
];
