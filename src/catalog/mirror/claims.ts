// One run for each source at a time, whichever process runs it: the source's row is locked under the lease of a process.
import { randomUUID } from 'node:crypto';
import { DomainError } from '../../base/errors.js';
import type { ProcessLease } from '../../store/process-lease.js';
import type { CatalogModels } from '../rows/models.js';
import { MIRROR_PHASES, type MirrorCounts, type MirrorRow } from '../rows/mirror-models.js';

/** An interrupted run can be continued for this many milliseconds; after that, a new one begins. */
const CONTINUED_MS = 24 * 3_600_000;

const NOTHING: Readonly<MirrorCounts> = { created: 0, updated: 0, unchanged: 0, refused: 0, kept: 0, missing: 0 };

/** A claimed run. */
export type Claim = Pick<MirrorRow, 'startedAt' | 'full' | 'phase' | 'page'> & {
  source: string;
  run: string;
  counts: MirrorCounts;
  /** Whether it continues an interrupted run. */
  isContinued: boolean;
};

/** Claims sources and stores how far they are read. */
export class MirrorClaims {
  constructor(
    private readonly models: Pick<CatalogModels, 'mirrors'>,
    private readonly processLease: ProcessLease,
    private readonly clock: () => number,
  ) {}

  /** @throws DomainError CONFLICT while another run reads the source. */
  async claim(source: string, full: boolean): Promise<Claim> {
    const row = await this.models.mirrors.findById(source).lean();
    if (row?.claim && (await this.processLease.holds(row.claim.lease))) throw underWay();
    const begun = this.#begun(row, full);
    const claim = { lease: await this.processLease.id(), run: randomUUID() };
    const started = { ...begun, claim, state: 'running' as const, finishedAt: null, message: null };
    const isClaimed =
      row === null ? await this.#insert({ _id: source, ...started }) : await this.#replace(row, started);
    if (!isClaimed) throw underWay();
    return { ...begun, source, run: claim.run, isContinued: begun.startedAt === row?.startedAt };
  }

  /** Stores the next step of a run. @throws Error when another run has the source. */
  async advance({ source, run, counts }: Claim, step: Pick<MirrorRow, 'phase' | 'page'>): Promise<void> {
    const mine = { _id: source, 'claim.run': run };
    const { matchedCount } = await this.models.mirrors.updateOne(mine, { $set: { ...step, counts } });
    if (matchedCount === 0) throw new Error(`another run reads ${source}`);
  }

  /** Ends a run and frees the source. */
  async end({ source, run, counts }: Claim, end: Pick<MirrorRow, 'state' | 'message'>): Promise<void> {
    const finishedAt = new Date(this.clock());
    const mine = { _id: source, 'claim.run': run };
    await this.models.mirrors.updateOne(mine, { $set: { ...end, counts, finishedAt, claim: null } });
  }

  /** The newest run of each source. */
  async list(limit: number): Promise<MirrorRow[]> {
    return this.models.mirrors.find().sort({ _id: 1 }).limit(limit).lean();
  }

  /** False when another process has inserted it. */
  async #insert(row: MirrorRow): Promise<boolean> {
    const { upsertedCount } = await this.models.mirrors.updateOne(
      { _id: row._id },
      { $setOnInsert: row },
      { upsert: true },
    );
    return upsertedCount > 0;
  }

  /** False when another run has claimed it. */
  async #replace({ _id, claim }: MirrorRow, started: Omit<MirrorRow, '_id'>): Promise<boolean> {
    const unclaimed = { _id, 'claim.run': claim?.run ?? null };
    return (await this.models.mirrors.updateOne(unclaimed, { $set: started })).matchedCount > 0;
  }

  #begun(row: MirrorRow | null, full: boolean): Pick<MirrorRow, 'startedAt' | 'full' | 'phase' | 'page' | 'counts'> {
    const now = this.clock();
    const isOpen = row !== null && row.state !== 'done' && now - row.startedAt.getTime() < CONTINUED_MS;
    if (isOpen && (row.full || !full)) {
      const { startedAt, phase, page, counts } = row;
      return { startedAt, full: row.full, phase, page, counts: { ...NOTHING, ...counts } };
    }
    return { startedAt: new Date(now), full, phase: MIRROR_PHASES[0], page: 1, counts: { ...NOTHING } };
  }
}

const underWay = (): DomainError => new DomainError('CONFLICT', 'This network is already being mirrored.');
