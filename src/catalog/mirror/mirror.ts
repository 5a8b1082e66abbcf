// Mirrors the catalog of another network through its REST API, and keeps it up to date (docs/mirror.md).
import type { Caller } from '../../base/callers/caller.js';
import { badInput } from '../../base/errors.js';
import { requireOperator } from '../../base/callers/rights.js';
import type { GuardedFetch } from '../../http/outbound/guarded-fetch.js';
import { checkOutboundUrl, type OutboundPolicy, OutboundRefused } from '../../http/outbound/outbound-address.js';
import { pause } from '../../store/lease.js';
import type { ProcessLease } from '../../store/process-lease.js';
import type { CatalogAdmin } from '../admin/admin.js';
import type { CatalogModels } from '../rows/models.js';
import { type Claim, MirrorClaims } from './claims.js';
import { MIRROR_LIMITS, type MirrorLimits } from './limits.js';
import type { MirrorRequest } from './mirror-record.js';
import { type MirrorReport, MirrorRun } from './mirror-run.js';
import { MirroredEntries } from './mirrored-entries.js';
import { MIRROR_PHASES, type MirrorCounts, type MirrorPhase, type MirrorRow } from '../rows/mirror-models.js';
import { Source, type SourceOptions, SourceStopped } from './source.js';

/** Reported at the beginning of a run, and after each page. */
export interface MirrorProgress extends MirrorCounts {
  result: 'begun' | 'reading';
  source: string;
  phase: MirrorPhase;
  page: number;
}

/** Reported at the end of a run. If `stopped`, the next run continues it. */
export interface MirrorSummary extends MirrorCounts {
  result: 'done' | 'stopped';
  source: string;
  /** Whether it continued an interrupted run. */
  continued: boolean;
  /** Why it stopped. */
  message?: string;
}

export type MirrorLine = MirrorReport | MirrorProgress | MirrorSummary;

export interface MirrorOptions {
  models: CatalogModels;
  admin: Pick<CatalogAdmin, 'write'>;
  processLease: ProcessLease;
  outboundPolicy: OutboundPolicy;
  fetch: GuardedFetch;
  clock(): number;
  /** How long requests may take, and how to wait between them; set by tests. */
  pace?: Partial<Pick<SourceOptions, 'pause' | 'timeoutMs'>>;
  /** Lower limits; set by tests. */
  limits?: Partial<MirrorLimits>;
}

const INTERRUPTED = 'The run was interrupted.';
const MAX_SOURCES = 100;

/** Mirrors of other networks. */
export class Mirrors {
  readonly #claims: MirrorClaims;

  constructor(private readonly options: MirrorOptions) {
    this.#claims = new MirrorClaims(options.models, options.processLease, options.clock);
  }

  /**
   * One run over a source. Yields its beginning, reports of entries and progress, and the summary last. It reads only
   * as fast as the caller iterates, and stops when the caller does.
   * @throws DomainError FORBIDDEN, BAD_USER_INPUT for the address, CONFLICT while another run reads the source,
   * STORE_UNAVAILABLE.
   */
  async *run(caller: Caller, request: MirrorRequest, signal?: AbortSignal): AsyncGenerator<MirrorLine> {
    requireOperator(caller, 'catalog');
    const base = this.baseOf(request.from);
    const claim = await this.#claims.claim(base, request.full ?? false);
    const ended = new AbortController();
    let end: Pick<MirrorRow, 'state' | 'message'> = { state: 'stopped', message: INTERRUPTED };
    try {
      yield progressOf('begun', claim, claim);
      const over = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
      yield* this.#steps(caller, claim, request, over);
      end = { state: 'done', message: null };
    } catch (thrown) {
      if (!(thrown instanceof SourceStopped)) throw thrown;
      end = { state: 'stopped', message: thrown.message };
    } finally {
      ended.abort();
      await this.#claims.end(claim, end);
    }
    yield summaryOf(claim, end);
  }

  /** The newest run of each source. @throws DomainError FORBIDDEN. */
  async list(caller: Caller): Promise<MirrorRow[]> {
    requireOperator(caller, 'read');
    return this.#claims.list(MAX_SOURCES);
  }

  /** The base address by which a source is known. @param name of the field, for messages @throws DomainError BAD_USER_INPUT. */
  baseOf(from: string, name = 'from'): string {
    try {
      const url = checkOutboundUrl(from, this.options.outboundPolicy);
      if (url.search !== '') throw new OutboundRefused('must not hold a query.');
      const path = url.pathname.replace(/\/+$/, '');
      return `${url.origin}${path === '' ? '/v1' : path}`;
    } catch (thrown) {
      if (thrown instanceof OutboundRefused) throw badInput(`"${name}" ${thrown.message}`, name);
      throw thrown;
    }
  }

  async *#steps(
    caller: Caller,
    claim: Claim,
    { overwrite = false }: MirrorRequest,
    signal: AbortSignal,
  ): AsyncGenerator<MirrorReport | MirrorProgress> {
    const { models, admin, fetch, clock, pace } = this.options;
    const limits = { ...MIRROR_LIMITS, ...this.options.limits };
    const source = new Source({ base: claim.source, fetch, signal, pause, clock, limits, ...pace });
    const run = new MirrorRun({
      source,
      entries: new MirroredEntries(models, claim.source),
      write: (groups) => admin.write(caller, groups),
      startedAt: claim.startedAt,
      full: claim.full,
      overwrite,
      counts: claim.counts,
      limits,
      now: () => new Date(clock()),
    });
    for (const phase of MIRROR_PHASES.slice(MIRROR_PHASES.indexOf(claim.phase))) {
      const first = phase === claim.phase ? claim.page : 1;
      if (first === 1) await this.#claims.advance(claim, { phase, page: 1 });
      if (phase === 'missing') yield* run.missing();
      else yield* this.#pages(run, source, claim, phase, first);
    }
  }

  async *#pages(
    run: MirrorRun,
    source: Source,
    claim: Claim,
    phase: 'schemas' | 'programs',
    first: number,
  ): AsyncGenerator<MirrorReport | MirrorProgress> {
    for await (const page of source.pages(phase, first)) {
      for (const fault of page.faults) {
        claim.counts.refused += 1;
        yield { kind: phase, id: '', result: 'refused', message: `Page ${page.page}: ${fault}.` };
      }
      yield* run[phase](page);
      const next = { phase, page: page.page + 1 };
      await this.#claims.advance(claim, next);
      yield progressOf('reading', claim, next);
    }
  }
}

function progressOf(
  result: MirrorProgress['result'],
  { source, counts }: Claim,
  { phase, page }: Pick<MirrorRow, 'phase' | 'page'>,
): MirrorProgress {
  return { result, source, phase, page, ...counts };
}

function summaryOf(claim: Claim, { state, message }: Pick<MirrorRow, 'state' | 'message'>): MirrorSummary {
  const { source, counts, isContinued: continued } = claim;
  const result = state === 'done' ? 'done' : 'stopped';
  return { result, source, continued, ...counts, ...(message === null ? {} : { message }) };
}
