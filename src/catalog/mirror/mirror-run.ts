// One run over a source: its schemas with their credentials, its programs, then entries that it no longer lists. Each part reads, compares
// with what is stored, writes what differs, and reports what is not unchanged.
import { toDomainError } from '../../base/errors.js';
import { inParallel, partsOf } from '../../base/concurrency/parallel.js';
import type { WriteWindow } from '../admin/import.js';
import type { PutOutcome } from '../admin/kind.js';
import { localSentence } from '../admin/origins.js';
import { CATALOG_KINDS, type CatalogKind } from '../rows/models.js';
import {
  credentialOf,
  fingerprintOf,
  listedIssuer,
  listedVerifier,
  programOf,
  type SourceEntry,
  schemaOf,
} from './entries.js';
import { type MirrorLimits, SourceRoom } from './limits.js';
import type { EntryId, MirroredEntries } from './mirrored-entries.js';
import { type MirrorCounts, type MirroredRow, originId } from '../rows/mirror-models.js';
import {
  byId,
  ID_FIELDS,
  REQUESTS_AT_ONCE,
  refusalOf,
  type Source,
  type SourceDetail,
  type SourcePage,
} from './source.js';

/** What a run reports about one entry. Unchanged entries are only counted. */
export interface MirrorReport {
  /** A kind of the catalog. */
  kind: string;
  /** Empty if the report is about the list itself. */
  id: string;
  result: Exclude<keyof MirrorCounts, 'unchanged'>;
  message?: string;
}

export interface RunOptions {
  source: Source;
  entries: MirroredEntries;
  write: WriteWindow;
  /** When the run began, before any interruption. */
  startedAt: Date;
  /** Whether to read every entry in full, whatever the lists say. */
  full: boolean;
  /** Whether to replace entries that were changed here or came from another network. */
  overwrite: boolean;
  counts: MirrorCounts;
  limits: Pick<MirrorLimits, 'entries' | 'versions'>;
  now(): Date;
}

type Reports<R = void> = AsyncGenerator<MirrorReport, R>;

const SCHEMAS_AT_ONCE = 10;
const ENTRIES_AT_ONCE = 100;
/** Milliseconds after which an entry is read in full again, although its list record has not changed. */
const RECHECK_MS = 24 * 3_600_000;

/** A run; its parts are called in order, each for one page. */
export class MirrorRun {
  /** Issuers, verifiers and accepted credentials that this run has handled. Many entries name the same ones. */
  readonly #taken = new Set<string>();

  readonly #room: SourceRoom;

  constructor(private readonly options: RunOptions) {
    this.#room = new SourceRoom(options.entries, options.limits);
  }

  /** A page of schemas, with their credentials and issuers. */
  async *schemas({ records }: Pick<SourcePage, 'records'>): Reports {
    for (const ids of partsOf([...records.keys()], SCHEMAS_AT_ONCE)) {
      const schemas = yield* this.#read('schemas', ids, schemaOf);
      yield* this.#take(schemas.map(({ entry }) => entry));
      const listed = new Map<string, unknown>();
      for (const { entry, credentials } of schemas) {
        const { entries, faults } = byId(credentials, ID_FIELDS.credentials);
        for (const message of faults) yield this.#report('schemas', entry.id, 'refused', message);
        for (const [id, record] of entries) listed.set(id, record);
      }
      for (const part of partsOf([...listed], ENTRIES_AT_ONCE)) yield* this.#credentials(new Map(part));
    }
  }

  /** A page of programs, with their verifiers, and with credentials that no schema lists. */
  async *programs({ records }: Pick<SourcePage, 'records'>): Reports {
    for (const part of partsOf([...records], ENTRIES_AT_ONCE)) {
      const { same, changed } = yield* this.#sort('programs', new Map(part));
      const read = yield* this.#read('programs', changed, (detail, id) => programOf(detail, records.get(id)));
      yield* this.#accepted(read.flatMap(({ credentialIds }) => credentialIds));
      const verifiers = same.flatMap((id) => listedVerifier(records.get(id)));
      yield* this.#take([...verifiers, ...read.flatMap(({ entries }) => entries)]);
    }
  }

  /** Looks up each entry that was in no list of this run, because a list that changes while it is read may skip one. */
  async *missing(): Reports {
    for (const kind of ['schemas', 'credentials', 'programs'] as const) {
      let after = '';
      for (;;) {
        const ids = await this.options.entries.unseen(kind, this.options.startedAt, after, ENTRIES_AT_ONCE);
        const last = ids.at(-1);
        if (last === undefined) break;
        after = last;
        yield* this.#lookUp(kind, ids);
      }
    }
  }

  async *#lookUp(kind: SourceDetail, ids: readonly string[]): Reports {
    const gone: string[] = [];
    const found = yield* this.#read(
      kind,
      ids,
      (detail) => entriesOf(kind, detail),
      (id) => gone.push(id),
    );
    yield* this.#take(found.flat());
    await this.options.entries.missing(
      gone.map((id) => ({ kind, id })),
      this.options.now(),
    );
    for (const id of gone)
      yield this.#report(kind, id, 'missing', 'The source no longer has it; it stays here, marked.');
  }

  async *#credentials(records: ReadonlyMap<string, unknown>): Reports {
    const { same, changed } = yield* this.#sort('credentials', records);
    const read = yield* this.#read('credentials', changed, (detail, id) => credentialOf(detail, records.get(id)));
    const issuers = same.flatMap((id) => listedIssuer(records.get(id)));
    yield* this.#take([...issuers, ...read.flat()]);
  }

  /** Credentials that programs accept, and that were in no list of this run. */
  async *#accepted(credentialIds: readonly string[]): Reports {
    const distinct = [
      ...byId(
        credentialIds.map((credentialId) => ({ credentialId })),
        'credentialId',
      ).entries.keys(),
    ];
    const named = distinct.map((id) => ({ kind: 'credentials' as const, id }));
    const rows = await this.options.entries.find(named);
    // Refused credentials are not reported here; the programs that accept them are.
    const refused = await this.#room.refusals(named);
    const unmet = named.flatMap((entry) => {
      const seenAt = rows.get(originId('credentials', entry.id))?.seenAt;
      const isMet = refused.has(entry) || (seenAt !== undefined && seenAt >= this.options.startedAt);
      return !isMet && this.#isFirst(originId('credentials', entry.id)) ? [entry.id] : [];
    });
    const read = yield* this.#read('credentials', unmet, (detail) => credentialOf(detail, detail));
    yield* this.#take(read.flat());
  }

  /** Sorts listed entries into unchanged ones and those to read in full. Entries that were changed here are skipped. */
  async *#sort(
    kind: CatalogKind,
    records: ReadonlyMap<string, unknown>,
  ): Reports<{ same: string[]; changed: string[] }> {
    const ids = [...records.keys()];
    const rows = await this.options.entries.find(ids.map((id) => ({ kind, id })));
    const rowOf = (id: string) => rows.get(originId(kind, id));
    const local = ids.filter((id) => this.#isKept(rowOf(id)));
    const rest = ids.filter((id) => !this.#isKept(rowOf(id)));
    const same = rest.filter((id) => this.#isFresh(rowOf(id), fingerprintOf(records.get(id))));
    await this.options.entries.seen(
      [...local, ...same].map((id) => ({ kind, id })),
      this.options.now(),
    );
    this.options.counts.unchanged += same.length;
    for (const id of local) yield this.#keptReport(kind, id, rowOf(id));
    const unchanged = new Set(same);
    return { same, changed: rest.filter((id) => !unchanged.has(id)) };
  }

  /** Reads the details of these ids. Reports what cannot be read. Calls `onGone` for ids that the source lacks. */
  async *#read<T>(
    kind: SourceDetail,
    listed: readonly string[],
    read: (detail: unknown, id: string) => T,
    onGone: (id: string) => void = () => {},
  ): Reports<T[]> {
    const entries = listed.map((id) => ({ kind, id }));
    const ids = (yield* this.#without(await this.#room.refusals(entries), entries)).map(({ id }) => id);
    const results = await inParallel(ids, REQUESTS_AT_ONCE, async (id): Promise<{ values: T[]; refusal?: string }> => {
      try {
        const detail = await this.options.source.detail(kind, id);
        if (detail === undefined) onGone(id);
        return { values: detail === undefined ? [] : [read(detail, id)] };
      } catch (thrown) {
        return { values: [], refusal: refusalOf(thrown) };
      }
    });
    for (const [at, { refusal }] of results.entries())
      if (refusal !== undefined) yield this.#report(kind, ids[at] ?? '', 'refused', refusal);
    return results.flatMap(({ values }) => values);
  }

  /** Writes entries that differ from what is stored. */
  async *#take(entries: readonly SourceEntry[]): Reports {
    const first = entries.filter(({ kind, id, fingerprint }) => this.#isFirst(`${originId(kind, id)} ${fingerprint}`));
    const rows = await this.options.entries.find(first);
    const rowOf = ({ kind, id }: SourceEntry) => rows.get(originId(kind, id));
    const local = first.filter((entry) => this.#isKept(rowOf(entry)));
    const rest = first.filter((entry) => !this.#isKept(rowOf(entry)));
    const same = rest.filter((entry) => WHOLE.has(entry.kind) && this.#isSame(rowOf(entry), entry.fingerprint));
    await this.options.entries.seen([...local, ...same], this.options.now());
    this.options.counts.unchanged += same.length;
    for (const entry of local) yield this.#keptReport(entry.kind, entry.id, rowOf(entry));
    yield* this.#write(rest.filter((entry) => !same.includes(entry)));
  }

  async *#write(entries: readonly SourceEntry[]): Reports {
    const refused = new Map([...(await this.#room.refusals(entries)), ...(await this.#room.fullSchemas(entries))]);
    const rest = yield* this.#without(refused, entries);
    const sorted = CATALOG_KINDS.flatMap((kind) => rest.filter((entry) => entry.kind === kind));
    for (const [at, outcome] of (await this.#outcomes(sorted)).entries()) {
      const { kind, id } = sorted[at] as SourceEntry;
      if ('refused' in outcome) yield this.#report(kind, id, 'refused', outcome.refused.message);
      else if (outcome.result === 'unchanged') this.options.counts.unchanged += 1;
      else yield this.#report(kind, id, outcome.result);
      if ('result' in outcome && outcome.result === 'created') await this.#room.added(kind);
    }
  }

  /** The entries that are not refused; the others are reported. */
  async *#without<E extends EntryId>(refused: ReadonlyMap<E, string>, entries: readonly E[]): Reports<readonly E[]> {
    for (const [{ kind, id }, message] of refused) yield this.#report(kind, id, 'refused', message);
    return refused.size === 0 ? entries : entries.filter((entry) => !refused.has(entry));
  }

  /** Writes all in one transaction; if it fails as a whole, one by one, so that one entry cannot fail the others. */
  async #outcomes(sorted: readonly SourceEntry[]): Promise<PutOutcome[]> {
    if (sorted.length === 0) return [];
    try {
      return await this.#transact(sorted);
    } catch (thrown) {
      const refused = toDomainError(thrown);
      if (refused.code === 'STORE_UNAVAILABLE') throw thrown;
      if (sorted.length === 1) return [{ refused }];
      const outcomes: PutOutcome[] = [];
      for (const entry of sorted) outcomes.push(...(await this.#outcomes([entry])));
      return outcomes;
    }
  }

  async #transact(sorted: readonly SourceEntry[]): Promise<PutOutcome[]> {
    const { entries, overwrite, write } = this.options;
    const groups = CATALOG_KINDS.map((kind) => ({
      kind,
      items: sorted
        .filter((entry) => entry.kind === kind)
        .map(({ id, body, fingerprint }) => ({ id, body, origin: { source: entries.source, fingerprint, overwrite } })),
    }));
    return (await write(groups.filter(({ items }) => items.length > 0))).flat();
  }

  #isKept(row: MirroredRow | undefined): row is MirroredRow {
    return row?.source === this.options.entries.source && row.local !== null && !this.options.overwrite;
  }

  #isSame(row: MirroredRow | undefined, fingerprint: string): boolean {
    return row?.source === this.options.entries.source && row.fingerprint === fingerprint && row.local === null;
  }

  /** Whether a listed entry need not be read in full. */
  #isFresh(row: MirroredRow | undefined, fingerprint: string): boolean {
    const { full, startedAt, now } = this.options;
    const since = full ? startedAt.getTime() : now().getTime() - RECHECK_MS;
    return row !== undefined && this.#isSame(row, fingerprint) && row.readAt.getTime() >= since;
  }

  #isFirst(key: string): boolean {
    const { size } = this.#taken;
    return this.#taken.add(key).size > size;
  }

  #keptReport(kind: CatalogKind, id: string, row: MirroredRow | undefined): MirrorReport {
    return this.#report(kind, id, 'kept', row?.local ? localSentence(row.local) : undefined);
  }

  #report(kind: string, id: string, result: MirrorReport['result'], message?: string): MirrorReport {
    this.options.counts[result] += 1;
    return { kind, id, result, ...(message === undefined ? {} : { message }) };
  }
}

/** Kinds whose fingerprint covers everything that was read. */
const WHOLE: ReadonlySet<CatalogKind> = new Set(['issuers', 'verifiers', 'schemas']);

function entriesOf(kind: SourceDetail, detail: unknown): SourceEntry[] {
  if (kind === 'schemas') return [schemaOf(detail).entry];
  return kind === 'credentials' ? credentialOf(detail, detail) : programOf(detail, detail).entries;
}
