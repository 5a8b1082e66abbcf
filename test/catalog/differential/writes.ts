// Writes of operators at random: entries of all kinds with few ids, so that they meet each other, in every form that writes have.
import type { CatalogKind } from '../../../src/catalog/rows/models.js';
import { type GatewayProcess, OPERATOR_KEY } from '../../support/gateway-process.js';

export type Roll = (sides: number) => number;

export const pick = <T>(items: readonly T[], roll: Roll): T => items[roll(items.length)] as T;

/** Ids that differ by case, by normalization, or by what follows; and names of members of objects. */
export const IDS: Readonly<Record<CatalogKind, readonly string[]>> = {
  issuers: ['i', 'I', 'i1', '__proto__', 'caf\u00e9', 'cafe\u0301'],
  verifiers: ['v', 'V', 'v.1', 'constructor'],
  schemas: ['s', 'S', 's1', '$where', '\u{1f600}'],
  credentials: ['c', 'C', 'c1', 'c10', 'c:1', 'c.1', '__proto__', '$ne', '\uff61', '\u{10400}', 'e\u0301', '\u00e9'],
  programs: ['p', 'P', 'p1', 'p1/2', '__proto__', 'hasOwnProperty', '\u{1f600}', '%70'],
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

const BODIES: Readonly<Record<CatalogKind, (id: string, roll: Roll) => Record<string, unknown>>> = {
  issuers: (id, roll) => ({ name: pick(NAMES, roll), issuerDid: didOf(id), issuerFrom: pick(FROM, roll) }),
  verifiers: (id, roll) => ({ name: pick(NAMES, roll), verifierDid: didOf(id) }),
  schemas: (_, roll) => ({ title: pick(NAMES, roll), description: '', dataPoints: pick(POINTS, roll) }),
  credentials: (_, roll) => ({
    name: pick(NAMES, roll),
    category: pick(CATEGORIES, roll),
    issuerId: pick(IDS.issuers, roll),
    schemaId: pick(IDS.schemas, roll),
    ...(roll(3) === 0 && { expirationDuration: 1 + roll(3) }),
    ...(roll(4) === 0 && { createdAt: day(roll) }),
    force: true,
  }),
  programs: (_, roll) => ({
    name: pick(NAMES, roll),
    description: pick(['', 'What for'], roll),
    verifierId: pick(IDS.verifiers, roll),
    pricingModel: pick(PRICES, roll),
    acceptedCredentials: [...new Set(Array.from({ length: roll(4) }, () => pick(IDS.credentials, roll)))].map(
      (credentialId) => ({ credentialId, verificationConditions: roll(2) ? [] : ['age >= 18'] }),
    ),
    ...(roll(4) === 0 && { createdAt: day(roll) }),
  }),
};

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

/** A write at random. Some are refused: others need the entry, or what it names is retired. */
export function someWrite(roll: Roll): Write {
  const kind = pick(WEIGHTED, roll);
  const id = pick(IDS[kind], roll);
  const path = `/v1/admin/${kind}/${encodeURIComponent(id)}`;
  const form = roll(10);
  if (form < 2)
    return {
      method: 'POST',
      path: '/v1/admin/import',
      body: ndjson(Array.from({ length: 1 + roll(8) }, () => line(roll))),
    };
  if (form < 4) return { method: 'DELETE', path };
  return { method: 'PUT', path, body: BODIES[kind](id, roll) };
}

/** Sends a write. @throws Error for a status that no write has. */
export async function send(gateway: GatewayProcess, { method, path, body }: Write): Promise<number> {
  const isImport = typeof body === 'string';
  const response = await fetch(gateway.url + path, {
    method,
    headers: {
      'x-admin-api-key': OPERATOR_KEY,
      ...(body === undefined ? {} : { 'content-type': isImport ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isImport ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (![200, 204, 400, 404, 409, 422].includes(response.status))
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return response.status;
}
