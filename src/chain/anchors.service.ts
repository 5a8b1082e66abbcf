// Anchors waiting rows in batches: each batch has a Merkle root, and one transaction has the roots of all kinds (contract §19). The rows'
// domains decide which rows wait, and handle their anchors.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import type { Checkpoint, Term } from '../store/lease.js';
import type { JobHandler } from './job-handlers.js';
import { groupOf, leafOf, MAX_LEAVES, MerkleTree, pathIn } from './merkle.js';
import type { AnchorBatchRow, AnchorPathsRow, ChainModels, JobState, SharedAnchor } from './models.js';
import type { ChainOutbox } from './outbox.service.js';

/** Proof that a digest was anchored: `anchor` and `removal` of status responses. */
export interface Anchor extends SharedAnchor {
  leaf: string;
  proof: string[];
}

/** Where the anchor of a row is found: in its batch, by the number of its leaf. */
export interface AnchorPlace {
  batchId: string;
  index: number;
}

/** The anchors of a confirmed batch. */
export interface BatchAnchors {
  confirmedAt: Date;
  anchorOf(digest: string): Anchor;
  indexOf(digest: string): number;
}

/** A row to be anchored. */
export interface AnchorLeaf {
  id: string;
  /** 64 hex digits. */
  digest: string;
}

/** One kind of anchored rows. */
export interface AnchorSource {
  kind: 0 | 1 | 2;
  /** The rows' collection, and the field that marks a waiting row. */
  rows: { collection: string; waiting: string };
  /** Whether any row waits. */
  waits(): Promise<boolean>;
  /**
   * Assigns at most `limit` waiting rows, oldest first, to a batch. A row stays in its batch. Returns how many were
   * assigned.
   */
  assign(batchId: string, limit: number, session: ClientSession): Promise<number>;
  /** The rows of a batch. */
  leaves(batchId: string): Promise<AnchorLeaf[]>;
  /** Writes the anchors of some rows of a confirmed batch, or their indexes, in one transaction. Returns how many. */
  writeAnchors(batchId: string, anchors: BatchAnchors): Promise<number>;
  /** Rows have the index of their leaf instead of their anchor, which `find` then returns. */
  byIndex?: boolean;
}

export interface AnchorsParts {
  connection: Connection;
  models: ChainModels;
  outbox: ChainOutbox;
  /** Time between two transactions, milliseconds. */
  intervalMs: number;
  clock(): number;
}

/** A batch with the root of its rows. */
interface RootedBatch {
  _id: string;
  kind: number;
  root: `0x${string}`;
  count: number;
}

const ROWS_PER_CHUNK = 500;

const hex = (bytes: Buffer): `0x${string}` => `0x${bytes.toString('hex')}`;

/** Anchors waiting rows in batches. */
export class Anchors {
  readonly #sources: AnchorSource[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  #term: { term: Term; checkpoint: Checkpoint<object> } | undefined;

  constructor(private readonly parts: AnchorsParts) {}

  /** Adds the row kinds of a domain. */
  add(sources: readonly AnchorSource[]): void {
    this.#sources.push(...sources);
  }

  /** Marks the batches of a confirmed anchor job; `gather` then writes the anchors of their rows. */
  readonly handler: JobHandler = {
    confirmed: async ({ _id: jobId }, { chainId, contracts, ...facts }, session) => {
      const { transactionHash, blockNumber, confirmedAt } = facts;
      const confirmed = { chainId, registry: contracts.anchorRegistry, transactionHash, blockNumber, confirmedAt };
      await this.parts.models.batches.updateMany({ jobId }, { $set: { state: 'confirmed', confirmed } }, { session });
    },
  };

  /** Finds anchors of rows that have the index of their leaf. One command; none without places. */
  async find(places: readonly AnchorPlace[]): Promise<(place: AnchorPlace) => Anchor | undefined> {
    const ids = [...new Set(places.map(pathsId))];
    const { paths } = this.parts.models;
    const rows =
      ids.length === 0
        ? []
        : await native(paths)
            .find({ _id: { $in: ids } }, { promoteBuffers: true })
            .toArray();
    const byId = new Map(rows.map((row) => [row._id, row]));
    return (place) => {
      const row = byId.get(pathsId(place));
      return row && anchorIn(row, place.index);
    };
  }

  /** The collections of waiting rows, for the change feed. */
  get rows(): AnchorSource['rows'][] {
    return this.#sources.map(({ rows }) => rows);
  }

  /**
   * Continues open batches: fills and sends them, and writes the anchors of rows in confirmed ones. Only the sender calls it. Returns
   * when more may be sent, by the monotonic clock; undefined: nothing can be sent until rows or jobs change.
   */
  async gather(term: Term): Promise<number | undefined> {
    // Opened before the batches are read, so that a former sender cannot change them afterwards.
    const fence = await this.#fence(term);
    const open = await this.#open();
    for (const batch of open.filter(({ state }) => state === 'confirmed')) await this.#writeAnchors(batch, term.signal);
    if (await this.#isUnderWay(open)) return undefined;
    const now = performance.now();
    const { intervalMs } = this.parts;
    if (now - this.#lastAt < intervalMs) return this.#lastAt + intervalMs;
    const batches = await this.#fill(
      open.filter(({ state }) => state === 'taking'),
      fence,
    );
    if (batches.length === 0) return undefined;
    this.#lastAt = now;
    await this.#send(batches, fence);
    return now + intervalMs;
  }

  /** Whether a transaction with anchors is not mined yet. */
  async #isUnderWay(open: readonly AnchorBatchRow[]): Promise<boolean> {
    const jobIds = open.flatMap(({ state, jobId }) => (state === 'queued' && jobId !== undefined ? [jobId] : []));
    if (jobIds.length === 0) return false;
    const states: JobState[] = ['queued', 'signed', 'sent'];
    return (await this.parts.models.jobs.exists({ _id: { $in: jobIds }, state: { $in: states } })) !== null;
  }

  /** The checkpoint that fences writes: advancing it fails unless this process is still the sender. */
  async #fence(term: Term): Promise<Checkpoint<object>> {
    if (this.#term?.term !== term) this.#term = { term, checkpoint: await term.checkpoint('chain anchors') };
    return this.#term.checkpoint;
  }

  #open(): Promise<AnchorBatchRow[]> {
    return this.parts.models.batches
      .find({ open: true })
      .sort({ createdAt: 1, _id: 1 })
      .lean<AnchorBatchRow[]>()
      .exec();
  }

  /** One batch for each kind. Rows are assigned before the root is computed, so that another process can continue the batch. */
  async #fill(open: readonly AnchorBatchRow[], fence: Checkpoint<object>): Promise<AnchorBatchRow[]> {
    const batches: AnchorBatchRow[] = [];
    for (const source of this.#sources) {
      const { kind } = source;
      const batch =
        open.find((row) => row.kind === kind) ?? ((await source.waits()) ? await this.#begin(kind) : undefined);
      if (batch === undefined) continue;
      await this.#assignRows(source, batch._id, fence);
      batches.push(batch);
    }
    return batches;
  }

  /** Assigns rows in chunks, each in a fenced transaction: a row that a former sender added later would be missing under the root. */
  async #assignRows(source: AnchorSource, batchId: string, fence: Checkpoint<object>): Promise<void> {
    let count = (await source.leaves(batchId)).length;
    while (count < MAX_LEAVES) {
      const limit = Math.min(ROWS_PER_CHUNK, MAX_LEAVES - count);
      const rowCount = await this.parts.connection.transaction(async (session: ClientSession) => {
        await fence.advance({ batchId }, session);
        return source.assign(batchId, limit, session);
      });
      count += rowCount;
      if (rowCount < limit) return;
    }
  }

  async #begin(kind: number): Promise<AnchorBatchRow> {
    const createdAt = new Date(this.parts.clock());
    const row: AnchorBatchRow = { _id: randomUUID(), kind, state: 'taking', createdAt, open: true };
    await this.parts.models.batches.create([row]);
    return row;
  }

  /** Writes the roots, and the job that anchors them, in one transaction, which deletes empty batches. */
  async #send(batches: readonly AnchorBatchRow[], fence: Checkpoint<object>): Promise<void> {
    const rooted = await Promise.all(batches.map((batch) => this.#rooted(batch)));
    const jobId = `anchor ${batches[0]?._id}`;
    const full = rooted.filter(({ count }) => count > 0);
    const args = { batches: full.map(({ kind, root, count }) => ({ root, kind, count })) };
    await this.parts.connection.transaction(async (session: ClientSession) => {
      await fence.advance({ jobId }, session);
      for (const batch of rooted) await this.#close(batch, jobId, session);
      if (full.length > 0) await this.parts.outbox.put({ jobId, kind: 'anchor', args }, session);
    });
  }

  async #rooted(batch: AnchorBatchRow): Promise<RootedBatch> {
    const leaves = await this.#leaves(batch);
    const root = leaves.length === 0 ? '0x' : hex((await MerkleTree.of(leaves)).root);
    return { _id: batch._id, kind: batch.kind, root, count: leaves.length };
  }

  /** Closes a batch: stores its root, and the job that anchors the root. Deletes an empty batch. */
  async #close({ _id, root, count }: RootedBatch, jobId: string, session: ClientSession): Promise<void> {
    const { batches } = this.parts.models;
    const taking = { _id, state: 'taking' as const };
    const queued = { $set: { state: 'queued' as const, root, count, jobId } };
    const isChanged =
      count === 0
        ? (await batches.deleteOne(taking, { session })).deletedCount > 0
        : (await batches.updateOne(taking, queued, { session })).matchedCount > 0;
    if (!isChanged) throw new Error(`The batch ${_id} has changed while its root was computed.`);
  }

  async #leaves({ _id, kind }: AnchorBatchRow): Promise<Buffer[]> {
    return (await this.#source(kind).leaves(_id)).map(({ digest }) => leafOf(kind, digest));
  }

  /** Writes the anchor of each row, in chunks with their events. If the process dies, another one continues. */
  async #writeAnchors(batch: AnchorBatchRow, signal: AbortSignal): Promise<void> {
    const { _id, kind, root = '0x', confirmed } = batch;
    if (confirmed === undefined) return;
    const source = this.#source(kind);
    const tree = await MerkleTree.of(await this.#leaves(batch));
    const { chainId, registry, transactionHash, blockNumber, confirmedAt } = confirmed;
    const shared: SharedAnchor = { chainId, registry, kind, root, transactionHash, blockNumber, confirmedAt };
    if (source.byIndex) await this.#storePaths(_id, tree, shared);
    const anchors: BatchAnchors = {
      confirmedAt,
      indexOf: (digest) => tree.indexOf(leafOf(kind, digest)),
      anchorOf: (digest) => {
        const leaf = leafOf(kind, digest);
        return anchorWith(shared, leaf, tree.proofOf(leaf));
      },
    };
    while (!signal.aborted) {
      if ((await source.writeAnchors(_id, anchors)) > 0) continue;
      const done = { $set: { state: 'done' as const }, $unset: { open: 1 as const } };
      await this.parts.models.batches.updateOne({ _id, state: 'confirmed' }, done);
      return;
    }
  }

  /** Stored before any row refers to them. Another process that continues the batch stores the same. */
  async #storePaths(batchId: string, tree: MerkleTree, shared: SharedAnchor): Promise<void> {
    const writes = tree.groups().map((nodes, group) => ({
      updateOne: {
        filter: { _id: `${batchId} ${group}` },
        update: { $setOnInsert: { count: tree.count, nodes, shared } },
        upsert: true,
      },
    }));
    await native(this.parts.models.paths).bulkWrite(writes);
  }

  #source(kind: number): AnchorSource {
    const source = this.#sources.find((one) => one.kind === kind);
    if (source === undefined) throw new Error(`No domain anchors rows of the kind ${kind}.`);
    return source;
  }
}

const pathsId = ({ batchId, index }: AnchorPlace): string => `${batchId} ${groupOf(index)}`;

function anchorIn({ count, nodes, shared }: AnchorPathsRow, index: number): Anchor {
  const { leaf, proof } = pathIn(nodes, { index, count });
  return anchorWith(shared, leaf, proof);
}

function anchorWith(shared: SharedAnchor, leaf: Buffer, proof: readonly Buffer[]): Anchor {
  const { chainId, registry, kind, root, ...where } = shared;
  return { chainId, registry, kind, root, leaf: hex(leaf), proof: proof.map(hex), ...where };
}
