// Reads of the catalog at random, in every form that clients have: GraphQL with variables and without, lists, relations, details, and REST.
import { KINDS, type KindList } from '../../../src/catalog/lists/kinds.js';
import { CATALOG_KINDS, type CatalogKind } from '../../../src/catalog/rows/models.js';
import { OPERATOR_KEY } from '../../support/gateway-process.js';
import type { Gateway } from './gateways.js';
import { CATEGORIES, FROM, IDS, NAMES, PRICES, pick, type Roll } from './writes.js';

/** A read; the same one has the same response from each gateway. */
export interface Question {
  path: string;
  /** GraphQL has one. */
  body?: string;
  headers: Record<string, string>;
}

const TRACTION = 'traction { holderCount issuanceCount verificationCount';
const FIELDS: Readonly<Record<CatalogKind, string>> = {
  credentials: `id credentialId name category cak expirationDuration createdAt vct ${TRACTION} demandCount } dataPoints { name description }`,
  programs: `id programId name description pricingModel createdAt provable credentialCount
    traction { verificationCount verifiedHolderCount } acceptedCredentials { credential { credentialId name } verificationConditions }`,
  issuers: `id issuerId name issuerDid issuerFrom createdAt ${TRACTION} }`,
  verifiers: 'id verifierId name verifierDid createdAt',
  schemas: 'id schemaId title description version createdAt credentialCount dataPoints { name description }',
};
const RELATIONS: Readonly<Record<CatalogKind, readonly [field: string, kind: CatalogKind, isList: boolean][]>> = {
  credentials: [
    ['issuer', 'issuers', false],
    ['schema', 'schemas', false],
    ['programs', 'programs', true],
  ],
  programs: [['verifier', 'verifiers', false]],
  issuers: [['credentials', 'credentials', true]],
  verifiers: [['programs', 'programs', true]],
  schemas: [
    ['credentials', 'credentials', true],
    ['issuers', 'issuers', true],
  ],
};
const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount totalCountIsExact';
const ID_FIELDS: Readonly<Record<CatalogKind, string>> = {
  credentials: 'credentialId',
  programs: 'programId',
  issuers: 'issuerId',
  verifiers: 'verifierId',
  schemas: 'schemaId',
};

/** A literal of GraphQL: `order` values are enums. */
class Enum {
  constructor(readonly name: string) {}
  toJSON(): string {
    return this.name;
  }
}

function literal(value: unknown): string {
  if (value instanceof Enum) return value.name;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, member]) => `${name}: ${literal(member)}`)
    .join(', ')} }`;
}

const SIZES = [1, 2, 3, 5, 10, 100];

function pageOf(roll: Roll, cursors: readonly string[]): Record<string, unknown> {
  const page: Record<string, unknown> = {};
  const size = roll(5);
  if (size < 3) page.first = pick(SIZES, roll);
  else if (size < 4) page.last = pick(SIZES, roll);
  if (cursors.length > 0 && roll(2)) page.after = pick(cursors, roll);
  if (cursors.length > 0 && roll(3) === 0) page.before = pick(cursors, roll);
  return page;
}

const orderOf = (kind: CatalogKind, roll: Roll) => ({
  field: new Enum(pick(Object.keys((KINDS[kind] as KindList).orders), roll)),
  ...(roll(2) && { direction: new Enum(pick(['ASC', 'DESC'], roll)) }),
});

function selection(kind: CatalogKind, depth: number, roll: Roll): string {
  const relations = RELATIONS[kind].filter(() => depth > 0 && roll(2) === 0);
  const parts = relations.map(([field, child, isList]) => {
    if (!isList) return `${field} { ${selection(child, depth - 1, roll)} }`;
    const args: Record<string, unknown> = pageOf(roll, []);
    if (roll(2) && field !== 'issuers') args.orderBy = orderOf(child, roll);
    const given = Object.entries(args).map(([name, value]) => `${name}: ${literal(value)}`);
    const nodes = `nodes { ${selection(child, depth - 1, roll)} }`;
    return `${field}${given.length > 0 ? `(${given.join(', ')})` : ''} { ${roll(2) ? nodes : `edges { cursor n: node { ${FIELDS[child]} } }`} ${PAGE} }`;
  });
  return `${FIELDS[kind]} ${parts.join(' ')}`;
}

const some = (ids: readonly string[], roll: Roll): string[] =>
  Array.from({ length: roll(4) === 0 ? 1 + roll(100) : 1 + roll(6) }, () => pick([...ids, 'absent', ''], roll));

const textFilter = (values: readonly string[], roll: Roll) =>
  roll(2) ? { eq: pick(values, roll) } : { in: some(values, roll) };

/** A filter of a kind, with an order that fits it. */
function filterOf(kind: CatalogKind, roll: Roll): { where: Record<string, unknown>; range?: string } {
  const [name, filter] = pick(Object.entries((KINDS[kind] as KindList).filters), roll);
  if (filter.match === 'name') {
    const eq = pick(NAMES, roll);
    return {
      where: {
        [name]: pick(
          [{ eq }, { in: some(NAMES, roll) }, { contains: pick(['alp', 'be', 'kyc', '大', 'strass'], roll) }],
          roll,
        ),
      },
    };
  }
  if (filter.match === 'range') {
    const value = filter.values === 'date' ? new Date(Date.UTC(2024, 0, 1 + roll(4))).toISOString() : roll(3);
    return { where: { [name]: { [pick(['eq', 'gt', 'gte', 'lt', 'lte'], roll)]: value } }, range: filter.order };
  }
  const values =
    name === ID_FIELDS[kind]
      ? IDS[kind]
      : ({
          ...{ category: CATEGORIES, pricingModel: PRICES, issuerFrom: FROM, issuerId: IDS.issuers },
          ...{ schemaId: IDS.schemas, verifierId: IDS.verifiers, credentialId: IDS.credentials },
        }[name] ?? ['did:web:69.example']);
  return { where: { [name]: textFilter(values, roll) } };
}

const graphql = (query: string, variables: unknown, headers: Record<string, string>): Question => ({
  path: '/graphql',
  body: JSON.stringify({ query, ...(variables ? { variables } : {}) }),
  headers: { 'content-type': 'application/json', ...headers },
});

function listQuestion(roll: Roll, cursors: readonly string[], headers: Record<string, string>): Question {
  const kind = pick(CATALOG_KINDS, roll);
  const args: Record<string, unknown> = pageOf(roll, cursors);
  let range: string | undefined;
  if (roll(4) > 0) {
    const chosen =
      roll(3) === 0 ? { where: { [ID_FIELDS[kind]]: { in: some(IDS[kind], roll) } } } : filterOf(kind, roll);
    args.where = chosen.where;
    if ('range' in chosen) range = chosen.range;
    if (roll(6) === 0) Object.assign(args.where as object, { [ID_FIELDS[kind]]: { in: some(IDS[kind], roll) } });
  }
  if (range !== undefined) args.orderBy = { field: new Enum(range), direction: new Enum(pick(['ASC', 'DESC'], roll)) };
  else if (roll(3) > 0) args.orderBy = orderOf(kind, roll);
  const nodes = `edges { cursor node { ${selection(kind, roll(3), roll)} } } ${PAGE}`;
  if (roll(2)) {
    const { typeName } = KINDS[kind];
    const declared = `$first: Int, $last: Int, $after: String, $before: String, $orderBy: ${typeName}Order, $where: ${typeName}Where`;
    const query = `query (${declared}) { ${kind}(first: $first, last: $last, after: $after, before: $before, orderBy: $orderBy, where: $where) { ${nodes} } }`;
    return graphql(query, args, headers);
  }
  const given = Object.entries(args).map(([name, value]) => `${name}: ${literal(value)}`);
  return graphql(`{ ${kind}${given.length > 0 ? `(${given.join(', ')})` : ''} { ${nodes} } }`, undefined, headers);
}

function entryQuestion(roll: Roll, headers: Record<string, string>): Question {
  const kind = pick(CATALOG_KINDS, roll);
  const name = KINDS[kind].typeName.toLowerCase();
  const id = pick(IDS[kind], roll);
  return graphql(`query ($id: String!) { ${name}(${name}Id: $id) { ${selection(kind, 2, roll)} } }`, { id }, headers);
}

const REST_FILTERS: Readonly<Partial<Record<CatalogKind, Record<string, readonly string[]>>>> = {
  credentials: { category: CATEGORIES, issuerId: IDS.issuers, schemaId: IDS.schemas },
  programs: { verifierId: IDS.verifiers, credentialId: IDS.credentials, pricingModel: PRICES },
  issuers: { issuerFrom: FROM },
};

function restQuestion(roll: Roll, headers: Record<string, string>): Question {
  const kind = pick(CATALOG_KINDS, roll);
  if (roll(2)) return { path: `/v1/catalog/${kind}/${encodeURIComponent(pick(IDS[kind], roll))}`, headers };
  const query = new URLSearchParams();
  if (roll(2)) query.set('limit', String(pick(SIZES, roll)));
  if (roll(3) === 0) query.set('page', String(1 + roll(3)));
  const orders = Object.values((KINDS[kind] as KindList).orders).flatMap(({ sortBy }) => sortBy);
  if (roll(2)) query.set('sortBy', pick(orders, roll));
  if (roll(2)) query.set('sortOrder', pick(['ASC', 'DESC'], roll));
  for (const [name, values] of Object.entries(REST_FILTERS[kind] ?? {}))
    if (roll(3) === 0) query.set(name, pick(values, roll));
  return { path: `/v1/catalog/${kind}?${query}`, headers };
}

const WORDS = ['alpha', 'beta', 'kyc', 'age', 'stras', '大', 'identity', 'alhpa', 'zebra', 'smile'];

function searchQuestion(roll: Roll, headers: Record<string, string>): Question {
  const text = roll(3) ? pick(WORDS, roll) : `${pick(WORDS, roll)} ${pick(WORDS, roll)}`;
  if (roll(2)) return { path: `/v1/catalog/search?q=${encodeURIComponent(text)}&limit=50`, headers };
  const query = `query ($text: String!) { search(query: $text, first: 50) { totalResults
    credentials { total items { relevance credential { credentialId name } } } issuers { total items { relevance issuer { issuerId name } } }
    programs { total items { relevance program { programId name } } } } }`;
  return graphql(query, { text }, headers);
}

/** The same read of GraphQL as a GET, whose responses have entity tags. */
const asGet = ({ body = '', headers }: Question): Question => {
  const { query, variables } = JSON.parse(body);
  const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
  return { path: `/graphql?${search}`, headers };
};

/** A read at random. Responses to callers with credentials are not cached, but what they are made from is. */
export function someQuestion(roll: Roll, cursors: readonly string[]): Question {
  const headers: Record<string, string> = roll(4) === 0 ? { 'x-admin-api-key': OPERATOR_KEY } : {};
  const form = roll(12);
  const inForm = (question: Question): Question => (roll(4) === 0 ? asGet(question) : question);
  if (form < 6) return inForm(listQuestion(roll, cursors, headers));
  if (form < 8) return inForm(entryQuestion(roll, headers));
  if (form < 11) return restQuestion(roll, headers);
  return searchQuestion(roll, headers);
}

/** A signed list without its signature and times: each gateway signs for itself. */
function listIn(jwt: string): string {
  const { credentialSubject, status_list } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  return JSON.stringify(credentialSubject ?? status_list);
}

/** A response without what differs at each request: the time of REST's envelope. */
export interface Answer {
  status: number;
  text: string;
  etag: string | null;
}

export async function ask(gateway: Gateway, { path, body, headers }: Question, more: object = {}): Promise<Answer> {
  const url = gateway.url + path;
  const response = await fetch(url, { headers: { ...headers, ...more }, ...(body && { method: 'POST', body }) });
  const sent = await response.text();
  const isList = response.ok && /status-lists/.test(path) && sent !== '';
  const text = isList ? listIn(sent) : sent.replace(/("timestamp":\d+|"requestId":"[^"]*")/g, '');
  return { status: response.status, text, etag: response.headers.get('etag') };
}

/** The cursors in a response. */
export const cursorsIn = ({ text }: Answer): string[] =>
  [...text.matchAll(/"cursor":"([\w-]+)"/g)].map(([, cursor]) => cursor as string);
