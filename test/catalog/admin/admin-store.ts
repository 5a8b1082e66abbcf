// The operator's service over a new database in the run's store, without a gateway; and a recount, with which derived
// state is compared.
import { randomBytes, randomUUID } from 'node:crypto';
import mongoose, { type Connection } from 'mongoose';
import { AuditLog } from '../../../src/audit/audit-log.js';
import { auditModels } from '../../../src/audit/models.js';
import { CatalogAdmin } from '../../../src/catalog/admin/admin.js';
import { CounterJournal } from '../../../src/catalog/admin/counter-journal.js';
import type { ImportResult } from '../../../src/catalog/admin/import.js';
import { DocumentChecks } from '../../../src/catalog/json-schema/document-checks.service.js';
import { type CatalogModels, type Counts, catalogModels } from '../../../src/catalog/rows/models.js';
import { sumOf } from '../../../src/catalog/traction/traction.js';
import { EventLog } from '../../../src/events/event-log.js';
import { eventModels } from '../../../src/events/models.js';
import { issuerKeys } from '../../../src/keys/issuer-keys.js';
import { ManagedIssuers } from '../../../src/keys/managed-issuers.js';
import { keyModels } from '../../../src/keys/models.js';
import { SealedBox } from '../../../src/keys/sealed-box.js';
import { SigningKeys } from '../../../src/keys/signing-keys.js';
import { ZkKeys } from '../../../src/keys/zk/keys.js';
import { migrate } from '../../../src/store/connection.js';
import { databaseUri } from '../../support/gateway.js';

export const OPERATOR = { kind: 'operator', keyName: 'configured', role: 'all' } as const;

export interface AdminStore {
  connection: Connection;
  counters: CounterJournal;
  admin: CatalogAdmin;
  models: CatalogModels;
  /** Imports lines: objects, or text that is sent unchanged. */
  load(lines: readonly unknown[]): Promise<ImportResult[]>;
  close(): Promise<void>;
}

/** Opens a database with the catalog's indexes. */
export async function openAdminStore(): Promise<AdminStore> {
  const connection = mongoose.createConnection(databaseUri(`admin_${randomUUID().slice(0, 8)}`), {
    serverApi: { version: '1', strict: true },
    autoIndex: false,
    autoCreate: false,
  });
  await connection.asPromise();
  const models = catalogModels(connection);
  eventModels(connection);
  await migrate(connection);
  const box = new SealedBox(randomBytes(32));
  const managed = new ManagedIssuers(new SigningKeys(keyModels(connection), box));
  const zkKeys = new ZkKeys({ models: keyModels(connection), box, threads: undefined, clock: Date.now });
  const custody = issuerKeys(managed, zkKeys, box);
  const { append: appendEvents } = new EventLog(eventModels(connection), Date.now);
  const now = () => new Date();
  const documentChecks = new DocumentChecks();
  const onWritten = (): void => undefined;
  const counters = new CounterJournal({ connection, models, onWritten, now });
  const admin = new CatalogAdmin({
    counters,
    provabilities: async () => new Map(),
    putPartner: () => Promise.reject(new Error('this store has no partners')),
    connection,
    models,
    sandbox: true,
    issuerKeys: custody,
    appendEvents,
    recordWrites: new AuditLog(auditModels(connection), Date.now).record,
    documentChecks,
    onWritten,
    now,
  });
  return {
    admin,
    connection,
    counters,
    models,
    load: async (lines) => (await collect(admin.importLines(OPERATOR, textOf(lines)))).flat(),
    close: async () => {
      await documentChecks.close();
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

async function* textOf(lines: readonly unknown[]): AsyncGenerator<string> {
  for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const ZERO: Counts = { holderCount: 0, issuanceCount: 0, verificationCount: 0 };
const add = (a: Counts, b: Counts): Counts => ({
  holderCount: a.holderCount + b.holderCount,
  issuanceCount: a.issuanceCount + b.issuanceCount,
  verificationCount: a.verificationCount + b.verificationCount,
});

/** All derived state, as it is stored. */
export async function storedState(models: CatalogModels) {
  const { issuers, verifiers, schemas, credentials, programs, totals, schemaIssuers } = await allRows(models);
  const nonZero = totals.filter(({ total }) => total !== 0);
  return {
    totals: Object.fromEntries(nonZero.map(({ _id, total }) => [_id, total])),
    issuers: byId(issuers, ({ credentialCount, traction, popularity }) => ({
      credentialCount,
      base: traction.base,
      popularity,
    })),
    verifiers: byId(verifiers, ({ programCount, popularity }) => ({ programCount, popularity })),
    schemas: byId(schemas, ({ credentialCount, issuerCount, popularity }) => ({
      credentialCount,
      issuerCount,
      popularity,
    })),
    credentials: byId(credentials, ({ demandCount, popularity }) => ({ demandCount, popularity })),
    // The count of a retired program is left out: it is computed again when the program comes back.
    programs: byId(
      programs.filter(({ live }) => live),
      ({ credentialCount, popularity }) => ({ credentialCount, popularity }),
    ),
    edges: byId(schemaIssuers, ({ credentialCount }) => credentialCount),
  };
}

/** The same state, computed from the rows that it is derived from. */
export async function recountedState(models: CatalogModels) {
  const { issuers, verifiers, schemas, credentials, programs } = await allRows(models);
  const live = { credentials: credentials.filter((row) => row.live), programs: programs.filter((row) => row.live) };
  const counted = { issuers, verifiers, schemas, credentials, programs };
  const totals = Object.entries(counted).map(([kind, rows]) => [kind, rows.filter((row) => row.live).length] as const);
  const edges: Record<string, number> = {};
  for (const { schemaId, issuerId } of live.credentials) {
    edges[`${schemaId} ${issuerId}`] = (edges[`${schemaId} ${issuerId}`] ?? 0) + 1;
  }
  return {
    totals: Object.fromEntries(totals.filter(([, total]) => total !== 0)),
    issuers: byId(issuers, ({ _id, importedTraction, traction }) => {
      const own = credentials.filter(({ issuerId }) => issuerId === _id).map((row) => row.traction.base);
      const base = importedTraction ?? own.reduce(add, ZERO);
      const credentialCount = live.credentials.filter(({ issuerId }) => issuerId === _id).length;
      return { credentialCount, base, popularity: base.holderCount + traction.own.holderCount };
    }),
    verifiers: byId(verifiers, ({ _id }) => {
      const programCount = live.programs.filter(({ verifierId }) => verifierId === _id).length;
      return { programCount, popularity: programCount };
    }),
    schemas: byId(schemas, ({ _id }) => {
      const built = live.credentials.filter(({ schemaId }) => schemaId === _id);
      const issuerCount = new Set(built.map(({ issuerId }) => issuerId)).size;
      return { credentialCount: built.length, issuerCount, popularity: built.length };
    }),
    credentials: byId(credentials, ({ _id, traction }) => {
      const accepting = live.programs.filter((row) =>
        row.acceptedCredentials.some(({ credentialId }) => credentialId === _id),
      );
      return { demandCount: accepting.length, popularity: sumOf(traction).holderCount };
    }),
    programs: byId(live.programs, ({ acceptedCredentials, traction }) => ({
      credentialCount: acceptedCredentials.filter(({ credentialId }) =>
        live.credentials.some(({ _id }) => _id === credentialId),
      ).length,
      popularity: sumOf(traction).verificationCount,
    })),
    edges,
  };
}

async function allRows(models: CatalogModels) {
  return {
    issuers: await models.issuers.find().lean(),
    verifiers: await models.verifiers.find().lean(),
    schemas: await models.schemas.find().lean(),
    credentials: await models.credentials.find().lean(),
    programs: await models.programs.find().lean(),
    totals: await models.totals.find().lean(),
    schemaIssuers: await models.schemaIssuers.find().lean(),
  };
}

function byId<R extends { _id: string }, T>(rows: readonly R[], derived: (row: R) => T): Record<string, T> {
  return Object.fromEntries(rows.map((row) => [row._id, derived(row)]));
}
