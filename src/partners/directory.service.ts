// Partner records, cached because every request reads them. A write of this process drops its record at once; writes of other processes
// take effect within a second.
import { LRUCache } from 'lru-cache';
import { CACHED_READ } from '../base/mongodb/cached-read.js';
import type { PartnerCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { PartnerModels, PartnerRow } from './models.js';

/** How long a record or the origins may lag behind another process's write. */
const MAX_AGE_MS = 1_000;
const MAX_RECORDS = 10_000;
/** The most partners that are read for one issuer. */
const MAX_ACTING = 1_000;

interface Entry {
  reading: Promise<PartnerRow | null>;
  readAt: number;
}

/** The live partners. */
export class PartnerDirectory {
  readonly #records = new LRUCache<string, Entry>({ max: MAX_RECORDS });
  #origins: { reading: Promise<ReadonlySet<string>>; readAt: number } | undefined;

  constructor(
    private readonly models: PartnerModels,
    /** Monotonic, milliseconds: if a wall clock were set back, old records would stay in the cache. */
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** The live partner of this id, or undefined. At most a second old. */
  async find(partnerId: string): Promise<PartnerRow | undefined> {
    const cached = this.#records.get(partnerId);
    if (cached !== undefined && this.clock() - cached.readAt < MAX_AGE_MS) return (await cached.reading) ?? undefined;
    const entry: Entry = { reading: this.#read(partnerId), readAt: this.clock() };
    this.#records.set(partnerId, entry);
    entry.reading.catch(() => {
      if (this.#records.peek(partnerId) === entry) this.#records.delete(partnerId);
    });
    return (await entry.reading) ?? undefined;
  }

  /** Ids of the live partners that may act for an issuer, at most 1,000. */
  async actingFor(issuerDid: string): Promise<string[]> {
    const rows = await this.models.partners
      .find({ live: true, issuerDids: issuerDid }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(MAX_ACTING)
      .lean<Pick<PartnerRow, '_id'>[]>();
    return rows.map(({ _id }) => _id);
  }

  /** The live partners that allow an origin, at most three: nobody needs to know of more. */
  allowing(origin: string): Promise<Pick<PartnerRow, '_id' | 'name'>[]> {
    return this.models.partners
      .find({ allowedOrigins: origin, live: true }, { name: 1 })
      .limit(3)
      .lean<Pick<PartnerRow, '_id' | 'name'>[]>()
      .exec();
  }

  /**
   * @throws DomainError FORBIDDEN when the partner is retired or has lost one of these scopes. Changes take effect
   * within a second.
   */
  async requireRights({ partnerId, scopes }: Pick<PartnerCaller, 'partnerId' | 'scopes'>): Promise<void> {
    const partner = await this.find(partnerId);
    if (partner === undefined || !scopes.every((scope) => partner.scopes.includes(scope)))
      throw new DomainError('FORBIDDEN', 'The partner may no longer do this.');
  }

  /** Whether a partner may run the programs of a verifier (contract §13). */
  async mayRun(partnerId: string, verifierId: string, isSandbox: boolean): Promise<boolean> {
    const { verifierIds = [] } = (await this.find(partnerId)) ?? {};
    return verifierIds.length === 0 ? isSandbox : verifierIds.includes(verifierId);
  }

  /** All origins that any live partner allows, for CORS preflights (contract §1). At most a second old. */
  allowedOrigins(): Promise<ReadonlySet<string>> {
    if (this.#origins !== undefined && this.clock() - this.#origins.readAt < MAX_AGE_MS) return this.#origins.reading;
    const entry = { reading: this.#readOrigins(), readAt: this.clock() };
    this.#origins = entry;
    entry.reading.catch(() => {
      if (this.#origins === entry) this.#origins = undefined;
    });
    return entry.reading;
  }

  /**
   * Stores the fault of a partner's published key set in its record, for the operator; null: it has none, undefined:
   * not known.
   */
  async noteKeySet({ _id, version, keySetProblem }: PartnerRow, problem: string | null | undefined): Promise<void> {
    if (problem === undefined || problem === (keySetProblem ?? null)) return;
    const change = problem === null ? { $unset: { keySetProblem: 1 } } : { $set: { keySetProblem: problem } };
    await this.models.partners.updateOne({ _id, version }, change);
    this.invalidate(_id);
  }

  /** Drops a partner, and any read of it in progress, from the cache. Call it after every write to its record. */
  invalidate(partnerId: string): void {
    this.#records.delete(partnerId);
    this.#origins = undefined;
  }

  #read(partnerId: string): Promise<PartnerRow | null> {
    return this.models.partners.findOne({ _id: partnerId, live: true }, null, CACHED_READ).lean<PartnerRow>().exec();
  }

  async #readOrigins(): Promise<ReadonlySet<string>> {
    const { partners } = this.models;
    const rows = await partners.find({ live: true }, { allowedOrigins: 1 }, CACHED_READ).lean<PartnerRow[]>().exec();
    return new Set(rows.flatMap(({ allowedOrigins }) => allowedOrigins));
  }
}
