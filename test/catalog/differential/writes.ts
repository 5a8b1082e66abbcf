// Writes of operators at random: entries of all kinds with few ids, so that they meet each other, in every form that writes have.
import { KINDS as LISTS } from '../../../src/catalog/lists/kinds.js';
import type { CatalogKind } from '../../../src/catalog/rows/models.js';
import { OPERATOR_KEY } from '../../support/gateway-process.js';
import type { Gateway } from './gateways.js';

export type Roll = (sides: number) => number;

export const pick = <T>(items: readonly T[], roll: Roll): T => items[roll(items.length)] as T;

/**
 * Ids that differ by case, by normalization, or by what follows; and names of members of objects. The last ones are those of the issuer
 * `club`, whose credentials partners issue.
 */
export const IDS: Readonly<Record<CatalogKind, readonly string[]>> = {
  issuers: ['i', 'I', 'i1', '__proto__', 'caf\u00e9', 'cafe\u0301', 'club'],
  verifiers: ['v', 'V', 'v.1', 'constructor'],
  schemas: ['s', 'S', 's1', '$where', '\u{1f600}', 'member'],
  credentials: [
    ...['c', 'C', 'c1', 'c10', 'c:1', 'c.1', '__proto__', '$ne', '\uff61', '\u{10400}', 'e\u0301', '\u00e9'],
    ...['m1', 'm2'],
  ],
  programs: ['p', 'P', 'p1', 'p1/2', '__proto__', 'hasOwnProperty', '\u{1f600}', '%70', 'level-three'],
};

/** Names with ties in their folded forms, and characters on both sides of the surrogates. */
export const NAMES = [
  ...['Alpha', 'alpha', 'Álpha', 'A\u0301lpha', 'alpha beta', 'Beta', 'KYCAge', 'straße', 'STRASSE'],
  ...['\uff61 half', '\u{1f600} smile', '\u{10400}deseret', '大学', 'zebra\u2028line', '\ud7ff', '\ufdd0', 'İstanbul'],
];
export const CATEGORIES = ['identity', 'Identity', 'health'];
export const PRICES = ['free', 'paid'];
export const FROM = ['EU', 'eu'];

/** One request that changes the catalog. */
export interface Write {
  method: 'PUT' | 'DELETE' | 'POST';
  path: string;
  body?: unknown;
}

const day = (roll: Roll) => new Date(Date.UTC(2024, 0, 1 + roll(4))).toISOString();
const didOf = (id: string) => `did:web:${Buffer.from(id).toString('hex')}.example`;
const POINTS = [
  [{ name: 'age', type: 'integer', isRequired: true, description: '' }],
  [
    { name: 'age', type: 'integer', isRequired: true, description: 'Years' },
    { name: 'a.b', type: 'string' },
  ],
];

/** The schema and the credentials of the issuer `club`. */
const MEMBER = [{ name: 'level', type: 'integer', isRequired: true, description: '' }];
const isOfClub = (id: string): boolean => /^m\d$/.test(id);

const BODIES: Readonly<Record<CatalogKind, (id: string, roll: Roll) => Record<string, unknown>>> = {
  issuers: (id, roll) => ({
    name: pick(NAMES, roll),
    issuerFrom: pick(FROM, roll),
    ...(id === 'club' ? { managed: true } : { issuerDid: didOf(id) }),
  }),
  verifiers: (id, roll) => ({ name: pick(NAMES, roll), verifierDid: didOf(id) }),
  schemas: (id, roll) => ({
    title: pick(NAMES, roll),
    description: '',
    dataPoints: id === 'member' ? MEMBER : pick(POINTS, roll),
  }),
  credentials: (id, roll) => ({
    name: pick(NAMES, roll),
    category: pick(CATEGORIES, roll),
    issuerId: isOfClub(id) ? 'club' : pick(IDS.issuers, roll),
    schemaId: isOfClub(id) ? 'member' : pick(IDS.schemas, roll),
    ...(isOfClub(id) && roll(4) === 0 && { maximumIssuance: 5 + roll(20) }),
    ...(roll(3) === 0 && { expirationDuration: 1 + roll(3) }),
    ...(roll(4) === 0 && { createdAt: day(roll) }),
    force: true,
  }),
  programs: (id, roll) => ({
    name: pick(NAMES, roll),
    description: pick(['', 'What for'], roll),
    verifierId: pick(IDS.verifiers, roll),
    pricingModel: pick(PRICES, roll),
    acceptedCredentials: id === 'level-three' ? ofMembers() : ofAny(roll),
    ...(roll(4) === 0 && { createdAt: day(roll) }),
  }),
};

const ofAny = (roll: Roll) =>
  [...new Set(Array.from({ length: roll(4) }, () => pick(IDS.credentials, roll)))].map((credentialId) => ({
    credentialId,
    verificationConditions: roll(2) || isOfClub(credentialId) ? [] : ['age >= 18'],
  }));
const ofMembers = () =>
  IDS.credentials.filter(isOfClub).map((credentialId) => ({ credentialId, verificationConditions: ['level = 3'] }));

const KINDS = Object.keys(IDS) as CatalogKind[];
/** Credentials and programs change most. */
const WEIGHTED: readonly CatalogKind[] = [
  ...KINDS,
  'credentials',
  'credentials',
  'credentials',
  'programs',
  'programs',
];

const WITH_TRACTION = new Set<CatalogKind>(['issuers', 'credentials', 'programs']);

function line(roll: Roll): Record<string, unknown> {
  const kind = pick(WEIGHTED, roll);
  const id = pick(IDS[kind], roll);
  const traction = { holderCount: roll(4), issuanceCount: roll(4), verificationCount: roll(4) };
  return {
    kind,
    id,
    ...BODIES[kind](id, roll),
    ...(roll(3) === 0 && { createdAt: day(roll) }),
    ...(roll(2) === 0 && WITH_TRACTION.has(kind) && { traction }),
  };
}

const ndjson = (lines: readonly object[]): string => lines.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** An entry of each id, so that the first reads see something. */
export const firstWrite = (roll: Roll): Write => {
  const lines = KINDS.flatMap((kind) => IDS[kind].map((id) => ({ kind, id, ...BODIES[kind](id, roll) })));
  return { method: 'POST', path: '/v1/admin/import', body: ndjson(lines) };
};

/** What the issuer `club` needs, in its order. */
export const clubWrites = (roll: Roll): Write[] =>
  (
    [
      ['issuers', 'club'],
      ['schemas', 'member'],
      ['credentials', 'm1'],
      ['credentials', 'm2'],
      ['verifiers', 'v'],
      ['programs', 'level-three'],
    ] as const
  ).map(([kind, id]) =>
    putOf(kind, id, { ...BODIES[kind](id, roll), ...(kind === 'programs' && { verifierId: 'v' }) }),
  );

const pathOf = (kind: CatalogKind, id: string): string => `/v1/admin/${kind}/${encodeURIComponent(id)}`;
const putOf = (kind: CatalogKind, id: string, body: object): Write => ({ method: 'PUT', path: pathOf(kind, id), body });

function mutation(verb: 'put' | 'retire', kind: CatalogKind, id: string, body: object = {}): Write {
  const { typeName } = LISTS[kind];
  const name = `${verb}${typeName}`;
  const type = `${verb === 'put' ? 'Put' : 'Retire'}${typeName}Input!`;
  const query = `mutation ($input: ${type}) { ${name}(input: $input) { __typename } }`;
  const input = { [`${typeName.toLowerCase()}Id`]: id, ...body };
  return { method: 'POST', path: '/graphql', body: { query, variables: { input } } };
}

/** A write at random. Some are refused: others need the entry, or what it names is retired. */
export function someWrite(roll: Roll): Write {
  const kind = pick(WEIGHTED, roll);
  const id = pick(IDS[kind], roll);
  const form = roll(10);
  if (form < 2)
    return {
      method: 'POST',
      path: '/v1/admin/import',
      body: ndjson(Array.from({ length: 1 + roll(8) }, () => line(roll))),
    };
  const byGraphql = roll(3) === 0;
  if (form < 4) return byGraphql ? mutation('retire', kind, id) : { method: 'DELETE', path: pathOf(kind, id) };
  const body = BODIES[kind](id, roll);
  return byGraphql ? mutation('put', kind, id, body) : putOf(kind, id, body);
}

const EXPECTED = [200, 201, 204, 400, 404, 409, 422];
/** Errors of GraphQL that no write has. */
const FAULT = /"code":"(INTERNAL|GRAPHQL_VALIDATION_FAILED|GRAPHQL_PARSE_FAILED|UNAUTHENTICATED|UNAVAILABLE)/;

/** Sends a write, by default as the operator. @throws Error for a response that no write has. */
export async function send(
  gateway: Gateway,
  { method, path, body }: Write,
  headers: Record<string, string> = { 'x-admin-api-key': OPERATOR_KEY },
): Promise<number> {
  const isImport = typeof body === 'string';
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-type': isImport ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isImport ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!EXPECTED.includes(response.status) || FAULT.test(text))
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return response.status;
}
