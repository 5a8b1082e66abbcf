// The operator's side of the catalog (contract §7): put, get, list, retire and import. REST, GraphQL and the command line call it.

import type { ClientSession, Connection } from 'mongoose';
import type { Caller, OperatorCaller } from '../../base/callers/caller.js';
import { badInput } from '../../base/errors.js';
import { requireOperator } from '../../base/callers/rights.js';
import { SNAPSHOT } from '../../base/mongodb/majority.js';
import { native } from '../../base/mongodb/native.js';
import type { Precondition } from '../../http/requests/preconditions.js';
import type { ManagedIssuerKeys } from '../../keys/issuer-keys.js';
import type { StoreChange } from '../../store/change-feed.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { AppendEvents } from '../../store/event-port.js';
import type { DocumentChecks } from '../json-schema/document-checks.service.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';
import type { Askability } from '../records/askability.js';
import type { Provability } from '../records/provability.js';
import type { CounterJournal } from './counter-journal.js';
import { HeldReferences } from './held-references.js';
import { type ImportResult, importLines, type WriteGroup, type WriteWindow } from './import.js';
import type { CatalogRecord, KindWriter, PutItem, PutOutcome, PutResult, WriteScope } from './kind.js';
import { credentialWriter } from './put-credential.js';
import { issuerWriter } from './put-issuer.js';
import { programWriter } from './put-program.js';
import { schemaWriter } from './put-schema.js';
import { verifierWriter } from './put-verifier.js';

const WRITERS: Readonly<Record<CatalogKind, KindWriter>> = {
  issuers: issuerWriter,
  verifiers: verifierWriter,
  schemas: schemaWriter,
  credentials: credentialWriter,
  programs: programWriter,
};

/** The largest page × limit (contract §7). */
const MAX_REACH = 10_000;

export interface CatalogAdminOptions {
  connection: Connection;
  models: CatalogModels;
  /** The sandbox allows issuer endpoints at http on loopback. */
  sandbox: boolean;
  issuerKeys: ManagedIssuerKeys;
  /** Writes a partner of an import, as the operator. */
  putPartner(caller: Caller, item: PutItem): Promise<PutResult>;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  documentChecks: DocumentChecks;
  /** Counter changes that imports store, to be added to the rows later. */
  counters: CounterJournal;
  /** What can be proven of programs, and what wallets can be asked, by id: members of their records. */
  provabilities(programIds: readonly string[]): Promise<ReadonlyMap<string, Provability & Askability>>;
  /** Called for every committed write before its caller gets the response. */
  onWritten(changes: readonly StoreChange[]): void;
  now(): Date;
}

/** One page of records. */
export interface AdminRecordPage {
  data: CatalogRecord[];
  pagination: { page: number; limit: number; total: number };
}

/** Catalog writes. Every call needs the operator and is one transaction; an import has one for each window. */
export class CatalogAdmin {
  readonly #options: CatalogAdminOptions;

  constructor(options: CatalogAdminOptions) {
    this.#options = options;
  }

  /**
   * Creates or replaces an entry; the same body again changes nothing.
   * @throws DomainError FORBIDDEN, BAD_USER_INPUT (naming the first invalid field), CONFLICT, PRECONDITION_FAILED.
   */
  async put(
    caller: Caller,
    kind: CatalogKind,
    id: string,
    body: unknown,
    precondition: Precondition = {},
  ): Promise<{ record: CatalogRecord; result: PutResult; etag: string }> {
    const operator = requireOperator(caller, 'catalog');
    const [outcome] = await this.#transaction(operator, false, (scope) =>
      WRITERS[kind].put(scope, [{ id, body, ...precondition }]),
    );
    if (outcome === undefined) throw new Error('a put of one entry has one outcome');
    if ('refused' in outcome) throw outcome.refused;
    const written = outcome.recordOf();
    const [record = written] = await this.#completed(kind, [written]);
    return { record, result: outcome.result, etag: written.etag };
  }

  /** A live entry's record. @throws DomainError FORBIDDEN, NOT_FOUND. */
  async get(caller: Caller, kind: CatalogKind, id: string): Promise<CatalogRecord> {
    requireOperator(caller, 'read');
    const record = await WRITERS[kind].get(this.#options.models, id);
    return (await this.#completed(kind, [record]))[0] ?? record;
  }

  /** Live entries, newest first. `page` is 1-based. @throws DomainError FORBIDDEN, BAD_USER_INPUT for a page that is too far. */
  async list(
    caller: Caller,
    kind: CatalogKind,
    { page, limit }: { page: number; limit: number },
  ): Promise<AdminRecordPage> {
    requireOperator(caller, 'read');
    if (page * limit > MAX_REACH) {
      throw badInput(
        `page × limit reaches beyond ${MAX_REACH} entries; use the cursors of GraphQL (first, after).`,
        'page',
      );
    }
    const { models } = this.#options;
    const data = await this.#completed(kind, await WRITERS[kind].list(models, { skip: (page - 1) * limit, limit }));
    const total = await models.totals.findById(kind).lean();
    return { data, pagination: { page, limit, total: total?.total ?? 0 } };
  }

  /** Retires an entry. @throws DomainError FORBIDDEN, NOT_FOUND, CONFLICT while live entries need it, PRECONDITION_FAILED. */
  async retire(
    caller: Caller,
    kind: CatalogKind,
    id: string,
    { ifMatch }: { ifMatch?: string | undefined } = {},
  ): Promise<void> {
    const operator = requireOperator(caller, 'catalog');
    await this.#transaction(operator, false, (scope) => WRITERS[kind].retire(scope, id, ifMatch));
  }

  /**
   * Imports NDJSON lines `{kind, id, …}` and yields one result for each line, in order, as lists. Entries must come after those they refer to, or
   * within the same 1,000 lines: the order issuers, verifiers, schemas, credentials, programs always works.
   * @throws DomainError FORBIDDEN; STORE_UNAVAILABLE in mid-stream when the store goes away. An invalid line yields an error result instead.
   */
  importLines(caller: Caller, lines: AsyncIterable<string>): AsyncIterable<ImportResult[]> {
    requireOperator(caller, 'catalog');
    const { putPartner, counters } = this.#options;
    const held = new HeldReferences();
    const catalog: WriteWindow = (groups, isBulk) => this.write(caller, groups, isBulk, held);
    return importLines(lines, { catalog, partner: (item) => putPartner(caller, item), fold: () => counters.fold() });
  }

  /**
   * Writes entries of several kinds, as import lines have them, in one transaction. `isBulk`: the next fold updates the
   * counters of issuers and schemas. `held`: what earlier windows have read. @throws DomainError FORBIDDEN.
   */
  async write(
    caller: Caller,
    groups: readonly WriteGroup[],
    isBulk = false,
    held?: HeldReferences,
  ): Promise<PutOutcome[][]> {
    const operator = requireOperator(caller, 'catalog');
    let attempts = 0;
    const written = await this.#transaction(operator, true, async (transaction) => {
      attempts += 1;
      if (attempts > 1) await lockTotals(transaction, groups);
      held?.begin();
      const scope = { ...transaction, isBulk, held };
      const outcomes: PutOutcome[][] = [];
      for (const { kind, items } of groups) outcomes.push(await WRITERS[kind].put(scope, items));
      return outcomes;
    });
    held?.committed();
    return written;
  }

  /** Adds to records of programs what is computed from other rows. */
  async #completed(kind: CatalogKind, records: CatalogRecord[]): Promise<CatalogRecord[]> {
    if (kind !== 'programs' || records.length === 0) return records;
    const provabilities = await this.#options.provabilities(records.map(({ programId }) => String(programId)));
    return records.map((record) => ({ ...record, ...provabilities.get(String(record.programId)) }));
  }

  async #transaction<T>(
    operator: OperatorCaller,
    importing: boolean,
    work: (scope: WriteScope) => Promise<T>,
  ): Promise<T> {
    const { connection, models, sandbox, issuerKeys, appendEvents, documentChecks, counters } = this.#options;
    const { recordWrites, now, onWritten } = this.#options;
    const { role } = operator;
    const shared = { models, role, sandbox, issuerKeys, appendEvents, documentChecks, counters, importing };
    let written: StoreChange[] = [];
    const run = (session: ClientSession) => {
      // A retried transaction starts with an empty list.
      written = [];
      const record: WriteScope['record'] = (entries) =>
        recordWrites(operator, entries, session, { together: importing });
      return work({ ...shared, session, now: now(), written, record });
    };
    const result = await connection.transaction(run, SNAPSHOT);
    onWritten(written);
    return result;
  }
}

/**
 * Locks the totals of the kinds that a window writes until it is committed. Other writes are shorter, and would be committed
 * before it again and again; now they wait for it.
 */
async function lockTotals({ models, session }: WriteScope, groups: readonly WriteGroup[]): Promise<void> {
  const kinds = groups.map(({ kind }) => kind);
  await native(models.totals).updateMany({ _id: { $in: kinds } }, { $inc: { guards: 1 } }, { session });
}
