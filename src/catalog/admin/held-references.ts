// The issuers and schemas that credentials refer to, as writes read them. An import holds those of its committed windows for
// the next ones: lines of a large catalog name thousands, and each window would read them again.
import type { ClientSession } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { CatalogModels, IssuerRow, SchemaRow } from '../rows/models.js';
import { rowsById } from './entry-rows.js';

type ReferredIssuer = Pick<IssuerRow, '_id' | 'live' | 'importedTraction'>;
type ReferredSchema = Pick<SchemaRow, '_id' | 'live' | 'version'>;

/** Rows by id. */
export interface RowsById<R> {
  get(id: string): R | undefined;
}

/** The rows that a batch of credentials refers to. */
export interface Referred {
  issuers: RowsById<ReferredIssuer>;
  schemas: RowsById<ReferredSchema>;
}

interface Wanted {
  issuerIds: readonly string[];
  schemaIds: readonly string[];
}

interface Read {
  /** `revisionOf` in the transaction that read the rows. */
  revision: string;
  issuers: Map<string, ReferredIssuer>;
  schemas: Map<string, ReferredSchema>;
}

/** The most rows that an import holds. */
const MAX_HELD = 100_000;

const nothing = (revision: string): Read => ({ revision, issuers: new Map(), schemas: new Map() });

/** Reads the rows, in two commands. */
export async function readReferred(
  { issuers, schemas }: Pick<CatalogModels, 'issuers' | 'schemas'>,
  { issuerIds, schemaIds }: Wanted,
  session: ClientSession,
): Promise<Omit<Read, 'revision'>> {
  return {
    schemas: await rowsById(schemas, schemaIds, session, ['live', 'version']),
    issuers: await rowsById(issuers, issuerIds, session, ['live', 'importedTraction']),
  };
}

/**
 * What one import holds. Every transaction, of any process, that changes a held field of an issuer or a schema also changes
 * the revision of its kind, which each window reads in its own snapshot.
 */
export class HeldReferences {
  #held = nothing('');
  /** What the running transaction has read. */
  #read: Read | undefined;

  /** A transaction begins, or is tried again. */
  begin(): void {
    this.#read = undefined;
  }

  /** The rows as the transaction sees them; reads those that are not held. */
  async load(models: CatalogModels, { issuerIds, schemaIds }: Wanted, session: ClientSession): Promise<Referred> {
    const revision = await revisionOf(models, session);
    const held = revision === this.#held.revision ? this.#held : nothing(revision);
    const missing = {
      issuerIds: issuerIds.filter((id) => !held.issuers.has(id)),
      schemaIds: schemaIds.filter((id) => !held.schemas.has(id)),
    };
    const read = await readReferred(models, missing, session);
    this.#read = { revision, ...read };
    return { issuers: inEither(read.issuers, held.issuers), schemas: inEither(read.schemas, held.schemas) };
  }

  /** The transaction has been committed: what it has read is now held. Rows that are absent or retired are always read. */
  committed(): void {
    const read = this.#read;
    this.#read = undefined;
    if (read === undefined) return;
    const size = this.#held.issuers.size + this.#held.schemas.size + read.issuers.size + read.schemas.size;
    if (read.revision !== this.#held.revision || size > MAX_HELD) this.#held = nothing(read.revision);
    addLive(read.issuers, this.#held.issuers);
    addLive(read.schemas, this.#held.schemas);
  }
}

const inEither = <R>(one: ReadonlyMap<string, R>, other: ReadonlyMap<string, R>): RowsById<R> => ({
  get: (id) => one.get(id) ?? other.get(id),
});

function addLive<R extends { live: boolean }>(from: ReadonlyMap<string, R>, to: Map<string, R>): void {
  for (const [id, row] of from) if (row.live) to.set(id, row);
}

/**
 * Changes with every change of a field that is held. The totals are part of it because processes of earlier versions change them
 * when they retire an entry, and know no revisions.
 */
async function revisionOf({ totals }: Pick<CatalogModels, 'totals'>, session: ClientSession): Promise<string> {
  const rows = await native(totals)
    .find({ _id: { $in: ['issuers', 'schemas'] } }, { session })
    .toArray();
  return JSON.stringify(rows.map(({ _id, total, revision }) => [_id, total, revision ?? 0]).sort());
}
