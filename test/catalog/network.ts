// A generated network of any size, the same for the same seed, with many ties, retired rows, and names of all kinds. Its rows are written directly,
// with their counters.
import type { Connection } from 'mongoose';
import {
  type CatalogModels,
  type Counts,
  type CredentialRow,
  catalogModels,
  type IssuerRow,
  type ProgramRow,
  type Row,
  type SchemaIssuerRow,
  type SchemaRow,
  type SchemaVersionRow,
  type VerifierRow,
} from '../../src/catalog/rows/models.js';
import { sortNameOf, termsOf } from '../../src/catalog/rows/terms.js';

export interface Network {
  issuers: IssuerRow[];
  verifiers: VerifierRow[];
  schemas: SchemaRow[];
  schemaVersions: SchemaVersionRow[];
  schemaIssuers: SchemaIssuerRow[];
  credentials: CredentialRow[];
  programs: ProgramRow[];
}

/** Random numbers that are the same in every run (mulberry32). */
export function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * sides);
  };
}

const WORDS = ['Álvaro', 'university', 'Degree', 'résidence', 'KYCAge', 'Éclair', 'zebra', '大学', 'member', 'Pass'];
const CATEGORIES = ['education', 'identity', 'finance', 'health'];
const ZERO: Counts = { holderCount: 0, issuanceCount: 0, verificationCount: 0 };
const EPOCH = Date.UTC(2024, 0, 1);

type Roll = (sides: number) => number;

/** The members of all kinds; one row in nine is retired. */
function rowOf(id: string, name: string, popularity: number, at: number, roll: Roll): Row {
  const createdAt = new Date(EPOCH + roll(20) * 86_400_000);
  return {
    _id: id,
    live: at % 9 !== 8,
    terms: termsOf(name),
    sortName: sortNameOf(name),
    popularity,
    createdAt,
    updatedAt: createdAt,
    etag: `etag-${id}`,
  };
}

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const nameOf = (roll: Roll) => `${WORDS[roll(WORDS.length)]} ${WORDS[roll(WORDS.length)]}`;
const pad = (at: number) => String(at).padStart(6, '0');

function parties(size: number, roll: Roll): Pick<Network, 'issuers' | 'verifiers' | 'schemas'> {
  const issuers = many(Math.max(3, Math.floor(size / 10)), (at): IssuerRow => {
    const name = nameOf(roll);
    const holderCount = roll(5);
    return {
      ...rowOf(`issuer-${pad(at)}`, name, holderCount, at, roll),
      name,
      issuerDid: `did:example:issuer-${at}`,
      issuerFrom: roll(2) ? 'imported' : 'native',
      managed: false,
      traction: { base: { ...ZERO, holderCount }, own: ZERO },
      importedTraction: null,
      credentialCount: 0,
    };
  });
  const verifiers = many(Math.max(3, Math.floor(size / 20)), (at): VerifierRow => {
    const name = nameOf(roll);
    const row = rowOf(`verifier-${pad(at)}`, name, 0, at, roll);
    return { ...row, name, verifierDid: `did:example:verifier-${at}`, programCount: 0 };
  });
  const schemas = many(Math.max(3, Math.floor(size / 15)), (at): SchemaRow => {
    const title = nameOf(roll);
    return {
      ...rowOf(`schema-${pad(at)}`, title, 0, at, roll),
      title,
      description: `All about ${title}`,
      dataPoints: [{ name: 'degree.name', title: 'Degree', type: 'string', isRequired: true, description: 'What for' }],
      version: 1,
      contentHash: `hash-${at}`,
      credentialCount: 0,
      issuerCount: 0,
    };
  });
  return { issuers, verifiers, schemas };
}

function pick<T>(rows: readonly T[], roll: Roll): T {
  const row = rows[roll(rows.length)];
  if (row === undefined) throw new Error('nothing to pick from');
  return row;
}

const live = <R extends Row>(rows: readonly R[]): R[] => rows.filter((row) => row.live);

function credentialRows(size: number, { issuers, schemas }: Pick<Network, 'issuers' | 'schemas'>, roll: Roll) {
  const [liveIssuers, liveSchemas] = [live(issuers), live(schemas)];
  return many(size, (at): CredentialRow => {
    const name = nameOf(roll);
    const base = { holderCount: roll(6), issuanceCount: roll(50), verificationCount: roll(9) };
    const own = { holderCount: roll(2), issuanceCount: 1, verificationCount: 2 };
    return {
      ...rowOf(`credential-${pad(at)}`, name, base.holderCount + own.holderCount, at, roll),
      name,
      category: pick(CATEGORIES, roll),
      issuerId: pick(liveIssuers, roll)._id,
      schemaId: pick(liveSchemas, roll)._id,
      schemaVersion: 1,
      accessibleStart: null,
      accessibleEnd: null,
      expirationDuration: roll(2) ? 3600 : null,
      maximumIssuance: null,
      firstIssuedAt: null,
      lastIssuedAt: null,
      traction: { base, own },
      demandCount: 0,
    };
  });
}

function programRows(size: number, { verifiers, credentials }: Pick<Network, 'verifiers' | 'credentials'>, roll: Roll) {
  const liveVerifiers = live(verifiers);
  return many(Math.max(3, Math.floor(size / 2)), (at): ProgramRow => {
    const name = nameOf(roll);
    const verificationCount = roll(4);
    const ids = [...new Set(many(1 + roll(3), () => pick(credentials, roll)._id))];
    return {
      ...rowOf(`program-${pad(at)}`, name, verificationCount, at, roll),
      name,
      description: `Checks ${name}`,
      verifierId: pick(liveVerifiers, roll)._id,
      acceptedCredentials: ids.map((credentialId) => ({
        credentialId,
        verificationConditions: ['`degree.name` = "BSc"'],
        conditions: [{ field: 'degree.name', operator: '$eq', values: ['BSc'] }],
      })),
      pricingModel: roll(2) ? 'free' : 'paid',
      credentialCount: 0,
      traction: { base: { ...ZERO, verificationCount }, own: ZERO },
    };
  });
}

/** Sets every stored counter as writes would. */
function count(network: Omit<Network, 'schemaIssuers' | 'schemaVersions'>): SchemaIssuerRow[] {
  const byId = new Map<string, { credentialCount: number }>();
  const edges = new Map<string, SchemaIssuerRow>();
  for (const row of [...network.issuers, ...network.schemas]) byId.set(row._id, row);
  for (const { issuerId, schemaId } of live(network.credentials)) {
    for (const id of [issuerId, schemaId]) {
      const parent = byId.get(id);
      if (parent) parent.credentialCount += 1;
    }
    const _id = `${schemaId} ${issuerId}`;
    const edge = edges.get(_id) ?? { _id, schemaId, issuerId, credentialCount: 0 };
    edges.set(_id, { ...edge, credentialCount: edge.credentialCount + 1 });
  }
  const credentials = new Map(network.credentials.map((row) => [row._id, row]));
  const verifiers = new Map(network.verifiers.map((row) => [row._id, row]));
  for (const program of network.programs) {
    const accepted = program.acceptedCredentials.map(({ credentialId }) => credentials.get(credentialId));
    program.credentialCount = accepted.filter((row) => row?.live).length;
    if (!program.live) continue;
    for (const credential of accepted) if (credential) credential.demandCount += 1;
    const verifier = verifiers.get(program.verifierId);
    if (verifier) verifier.programCount += 1;
  }
  for (const verifier of network.verifiers) verifier.popularity = verifier.programCount;
  const issuersOf = new Map<string, number>();
  for (const { schemaId } of edges.values()) issuersOf.set(schemaId, (issuersOf.get(schemaId) ?? 0) + 1);
  for (const schema of network.schemas) {
    schema.popularity = schema.credentialCount;
    schema.issuerCount = issuersOf.get(schema._id) ?? 0;
  }
  return [...edges.values()];
}

/** A network with this many credentials. */
export function makeNetwork(size: number, seed = 1): Network {
  const roll = dice(seed);
  const { issuers, verifiers, schemas } = parties(size, roll);
  const credentials = credentialRows(size, { issuers, schemas }, roll);
  const programs = programRows(size, { verifiers, credentials }, roll);
  const rows = { issuers, verifiers, schemas, credentials, programs };
  const schemaVersions = schemas.map(
    ({ _id, title, description, dataPoints, version, contentHash, createdAt }): SchemaVersionRow => ({
      ...{ _id: `${_id}@1`, schemaId: _id, title, description, dataPoints, version, contentHash, createdAt },
    }),
  );
  return { ...rows, schemaVersions, schemaIssuers: count(rows) };
}

/** Writes a network into an empty database. */
export async function writeNetwork(connection: Connection, network: Network): Promise<CatalogModels> {
  const models = catalogModels(connection);
  for (const [name, rows] of Object.entries(network) as [keyof Network, object[]][]) {
    const { collection } = models[name];
    for (let at = 0; at < rows.length; at += 5000) await collection.insertMany(rows.slice(at, at + 5000) as never[]);
  }
  const kinds = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'] as const;
  await models.totals.insertMany(kinds.map((kind) => ({ _id: kind, total: live<Row>(network[kind]).length })));
  return models;
}
