// Parameters of operations: from the zod schemas of a row and the header fields that it reads.
import type { AnyRoute, HeaderName } from '../routes/route.js';
import { type Printed, printed } from './json-schema.js';

/** Descriptions of parameters that mean the same on every route, by name. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  after: 'The cursor where the previous page ended.',
  bucket: 'The smallest length of a bucket.',
  category: 'Only of this category.',
  coreClaimHash: 'Hash of the claim, 64 hex digits.',
  credentialId: 'Only those that accept this credential.',
  did: 'A DID.',
  email: 'The address that mails were sent to.',
  externalId: 'Only the package with this externalId.',
  from: 'The first day, `YYYY-MM-DD`, in UTC.',
  holderDid: 'Only of this holder.',
  id: 'Its id, percent-encoded.',
  issuerFrom: 'Only with this issuerFrom.',
  issuerId: 'Only of this issuer.',
  jobId: 'Id of the job.',
  limit: 'How many entries a page has.',
  nonce: 'The revocation nonce, in decimal.',
  now: 'The time from which relative dates count; default: now.',
  order: '`<column>_asc` or `<column>_desc`.',
  page: 'The page, from 1.',
  partnerId: 'Id of the partner.',
  pricingModel: 'Only with this pricing model.',
  programId: 'Only of this program.',
  q: 'What to search for. Prefixes and words with one wrong letter match too.',
  revocationNonce: 'Only the issuance with this nonce.',
  schemaId: 'Id of the schema.',
  sort: 'The same as sortBy.',
  sortBy: 'The order of the list.',
  sortOrder: 'ASC or DESC; the default is ASC for names and titles, else DESC.',
  state: 'Only in this state.',
  status: 'Only with this status.',
  to: 'The last day, `YYYY-MM-DD`, in UTC.',
  txHash: 'Hash of the transaction.',
  types: 'Event types, separated by commas; default: all of the caller.',
  userId: 'Id of the holder.',
  verifierId: 'Only of this verifier.',
  version: 'The version; default: the current one.',
  wait: 'Seconds to wait for a result while there is none.',
};

const HEADERS: Readonly<Record<HeaderName, string>> = {
  'idempotency-key': 'For 24 hours, the same request under the same key gets the first response.',
  'if-match': 'The etag that the entry must still have.',
  'if-none-match': 'Etags that the client has; 304 if one of them is current.',
  'last-event-id': 'Where a stream continues, as EventSource sends it.',
  'x-partner-id': 'Id of the partner whose token is in the body.',
};

/** The header field's meaning in writes. */
const FIRST_WRITE = '`*`: write only if there is nothing yet.';

const REQUIRED_HEADERS: ReadonlySet<HeaderName> = new Set(['x-partner-id']);

/** All parameters of a row. */
export function parametersOf({ method, path, params, query, headers = [], cacheable }: AnyRoute): object[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const shapes = (params && printed(params).properties) ?? {};
  const { properties = {}, required = [] } = query ? printed(query) : {};
  const fields: HeaderName[] = [...headers, ...(cacheable ? (['if-none-match'] as const) : [])];
  return [
    ...names.map((name) => ({
      name,
      in: 'path',
      required: true,
      ...describedParameter(name, shapes[name]),
    })),
    ...Object.entries(properties).map(([name, schema]) => ({
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      ...describedParameter(name, schema),
    })),
    ...fields.map((name) => ({
      name,
      in: 'header',
      ...(REQUIRED_HEADERS.has(name) ? { required: true } : {}),
      description: name === 'if-none-match' && method !== 'GET' ? FIRST_WRITE : HEADERS[name],
      schema: { type: 'string' },
    })),
  ];
}

/** A parameter's schema and description. The description is that of its name, otherwise that of its schema. */
function describedParameter(name: string, { description, ...schema }: Printed = { type: 'string' }): object {
  const words = DESCRIPTIONS[name] ?? description;
  if (words === undefined) throw new Error(`the parameter ${name} needs a description, by zod's describe`);
  return { description: words, schema };
}
