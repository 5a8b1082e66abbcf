// Reads the catalog of another network over its REST API, politely: few requests at a time, and pauses when the source
// asks for them. Every wait is limited, every response is bounded, and all data is checked.
import { DELAYS, delayAfter } from '../../base/concurrency/retry.js';
import { DomainError } from '../../base/errors.js';
import { INEXACT, readJson } from '../../base/json/exact-json.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.js';
import { isTextDeeperThan, MAX_LEVELS } from '../../base/json/nesting.js';
import { checkUnicode, hasSurrogateEscape } from '../../base/json/unicode.js';
import { type GuardedResponse, type GuardedFetch, isJson } from '../../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../../http/outbound/guarded-fetch-error.js';
import { retryAfterOf } from '../../http/outbound/retry-after.js';
import { id } from '../admin/body-fields.js';
import { type MirrorLimits, PAGE_RECORDS } from './limits.js';

/** The source cannot be read any further. The sentence is for the operator. */
export class SourceStopped extends Error {
  override readonly name = 'SourceStopped';
}

/** One response of the source is refused; the run continues. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused';
}

/** How a source is read. Times in milliseconds. */
export interface SourceOptions {
  /** Base address, which ends with /v1. */
  base: string;
  fetch: GuardedFetch;
  signal: AbortSignal;
  /** Waits; ends early when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  clock(): number;
  limits: Pick<MirrorLimits, 'pages' | 'requests' | 'runMs'>;
  /** Time limit of one request; default 15,000. */
  timeoutMs?: number;
}

/** One page of a list. */
export interface SourcePage {
  page: number;
  /** Records that were on no earlier page, by id. */
  records: Map<string, unknown>;
  /** Sentences about invalid records of the page. */
  faults: string[];
}

export type SourceList = 'schemas' | 'programs';
export type SourceDetail = SourceList | 'credentials';

/** The field of each kind's id. */
export const ID_FIELDS = { schemas: 'schemaId', programs: 'programId', credentials: 'credentialId' } as const;

/** Details that are requested at the same time. */
export const REQUESTS_AT_ONCE = 4;
const TIMEOUT_MS = 15_000;
/** A detail with a thousand entries of long names has about 1 MB. */
const MAX_BYTES = 4 * 1024 * 1024;
/**
 * The longest pause that a run makes at the source's request. If the source asks for more, the run stops, and the next
 * one reads on.
 */
const MAX_PAUSE_MS = 300_000;
/**
 * After a response, the run pauses this many times as long as it took to process it: a source gets a fifth of the
 * process's time. The pause applies from this time on, milliseconds.
 */
const REST = 4;
const LONG_MS = 5;
/** Failures in a row after which the source counts as away. */
const MAX_FAILURES = 6;
const MAX_BAD_PAGES = 3;
/** `code` of a successful answer (contract §1). */
const SUCCESS = 80_000_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Reads one source. */
export class Source {
  #quietUntil = 0;
  #failures = 0;
  #requests = 0;
  /** Resolves when the pause after the newest response ends. */
  #rested: Promise<void> = Promise.resolve();
  readonly #endsAt: number;

  constructor(private readonly options: SourceOptions) {
    this.#endsAt = options.clock() + options.limits.runMs;
  }

  /** The pages of a list, until it ends, repeats itself or cannot be read. @throws SourceStopped. */
  async *pages(list: SourceList, first: number): AsyncGenerator<SourcePage> {
    const ids = new Set<string>();
    const { pages: most } = this.options.limits;
    let bad = 0;
    for (let page = first; bad < MAX_BAD_PAGES && page <= most; page += 1) {
      let data: unknown;
      try {
        data = await this.#get(`/catalog/${list}?page=${page}&limit=${PAGE_RECORDS}`);
      } catch (thrown) {
        // If the first page cannot be read, nothing can be marked as missing.
        if (page === 1) throw new SourceStopped(`The list of ${list} cannot be read: ${refusalOf(thrown)}`);
        bad += 1;
        yield { page, records: new Map(), faults: [refusalOf(thrown)] };
        continue;
      }
      if (data === undefined && page === 1) throw new SourceStopped(`The address has no list of ${list} (404).`);
      const { entries, faults, pages } = entriesOf(data, ID_FIELDS[list]);
      const records = new Map([...entries].filter(([entry]) => !ids.has(entry)));
      const isRepeated = entries.size > 0 && records.size === 0;
      for (const entry of records.keys()) ids.add(entry);
      const isLast = isRepeated || entries.size === 0 || page >= (pages ?? Number.POSITIVE_INFINITY);
      if (isRepeated) faults.push('repeats earlier pages: the list is not read further');
      if (page === most && !isLast) faults.push('is the last that is read');
      yield { page, records, faults };
      if (isLast) return;
    }
  }

  /** One entry in full; undefined: the source has none with this id. @throws SourceStopped, AnswerRefused. */
  async detail(kind: SourceDetail, entryId: string): Promise<JsonObject | undefined> {
    const data = await this.#get(`/catalog/${kind}/${encodeURIComponent(entryId)}`);
    if (data === undefined) return undefined;
    if (!isJsonObject(data) || data[ID_FIELDS[kind]] !== entryId)
      throw new AnswerRefused('the source responded with something else');
    return data;
  }

  /** The data of a response; undefined for 404. */
  async #get(path: string): Promise<unknown> {
    const { signal, pause, clock } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      await pause(Math.max(0, this.#quietUntil - clock()), signal);
      if (signal.aborted) throw new SourceStopped('The run was interrupted.');
      this.#checkCost();
      const answer = await this.#ask(path);
      const delay = delayBeforeNext(answer, attempt, clock());
      if (delay === undefined) return this.#readInTurn(answer);
      if (delay > MAX_PAUSE_MS) throw new SourceStopped(`The source asks for a pause of ${minutes(delay)} minutes.`);
      this.#quietUntil = Math.max(this.#quietUntil, clock() + delay);
    }
  }

  /** @throws SourceStopped after the last request, or at the end of the run's time. */
  #checkCost(): void {
    const { clock, limits } = this.options;
    this.#requests += 1;
    if (this.#requests > limits.requests) throw new SourceStopped(`The run has made ${limits.requests} requests.`);
    if (clock() >= this.#endsAt) throw new SourceStopped(`The run has taken ${minutes(limits.runMs)} minutes.`);
  }

  async #ask(path: string): Promise<GuardedResponse | GuardedFetchError> {
    const { base, fetch, signal, timeoutMs = TIMEOUT_MS } = this.options;
    const headers = { accept: 'application/json', 'user-agent': 'credential-gateway mirror' };
    try {
      return await fetch(base + path, { headers, timeoutMs, maxBytes: MAX_BYTES, signal });
    } catch (thrown) {
      if (thrown instanceof GuardedFetchError) return thrown;
      throw thrown;
    }
  }

  /**
   * Processes responses one after the other, with a pause after each: a large response occupies the process, and
   * further requests may wait meanwhile.
   */
  async #readInTurn(answer: GuardedResponse | GuardedFetchError): Promise<unknown> {
    const before = this.#rested;
    let end = (): void => {};
    this.#rested = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    const began = performance.now();
    try {
      return this.#read(answer);
    } finally {
      void this.#rest(performance.now() - began).then(end, end);
    }
  }

  async #rest(ms: number): Promise<void> {
    const { pause, signal } = this.options;
    if (ms >= LONG_MS) await pause(REST * ms, signal);
  }

  #read(answer: GuardedResponse | GuardedFetchError): unknown {
    if (answer instanceof GuardedFetchError && answer.reason === 'refused') throw new SourceStopped(answer.message);
    if (isFailure(answer)) {
      this.#failures += 1;
      const sentence = answer instanceof GuardedFetchError ? answer.message : `It responds with ${answer.status}.`;
      if (this.#failures >= MAX_FAILURES) throw new SourceStopped(`The source is away. ${sentence}`);
      throw new AnswerRefused(sentence);
    }
    this.#failures = 0;
    return dataOf(answer);
  }
}

/** Whether the source itself has failed, and not only this response. */
function isFailure(answer: GuardedResponse | GuardedFetchError): boolean {
  return answer instanceof GuardedFetchError ? answer.reason !== 'too-large' : BUSY.has(answer.status);
}

/** Milliseconds until the next attempt; undefined: there is none. */
function delayBeforeNext(
  answer: GuardedResponse | GuardedFetchError,
  attempt: number,
  now: number,
): number | undefined {
  const isUnreachable = answer instanceof GuardedFetchError;
  if (!isFailure(answer) || (isUnreachable && answer.reason === 'refused')) return undefined;
  const own = delayAfter(isUnreachable ? DELAYS.silentSource : DELAYS.busySource, attempt);
  if (own === undefined) return undefined;
  const asked = isUnreachable ? undefined : retryAfterOf(answer.retryAfter, now);
  return Math.max(asked ?? 0, own);
}

const minutes = (ms: number): number => Math.ceil(ms / 60_000);

/** `data` of the envelope (contract §1); undefined for 404. @throws AnswerRefused. */
function dataOf(answer: GuardedResponse | GuardedFetchError): unknown {
  if (answer instanceof GuardedFetchError) throw new AnswerRefused(answer.message);
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new AnswerRefused(`the source responded with ${answer.status}`);
  if (!isJson(answer)) throw new AnswerRefused('the answer is not JSON');
  const envelope = jsonOf(answer.body.toString('utf8'));
  if (!isJsonObject(envelope) || envelope.code !== SUCCESS || !isJsonObject(envelope.data))
    throw new AnswerRefused(`the answer has no data with the code ${SUCCESS}`);
  return envelope.data;
}

function jsonOf(text: string): unknown {
  if (isTextDeeperThan(text, MAX_LEVELS)) throw new AnswerRefused('the answer is nested too deeply');
  const value = refusing('the answer is not JSON', () => readJson(text));
  if (hasSurrogateEscape(text)) refusing('the answer is not Unicode', () => checkUnicode(value));
  return value;
}

/**
 * @throws AnswerRefused with this sentence if the value does not fit, and with its own sentence for a refused number.
 */
function refusing<T>(sentence: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isNumber = error instanceof DomainError && error.message.includes(INEXACT);
    throw new AnswerRefused(isNumber ? `the answer is not usable: ${error.message}` : sentence);
  }
}

/** The records of a page by id. Invalid ones become faults. */
function entriesOf(
  data: unknown,
  idField: string,
): { entries: Map<string, unknown>; faults: string[]; pages?: number } {
  if (data === undefined) return { entries: new Map(), faults: [] };
  const { records, pages } = data as JsonObject;
  if (!Array.isArray(records)) return { entries: new Map(), faults: ['has no list "records"'] };
  const { entries, faults } = byId(records.slice(0, PAGE_RECORDS), idField);
  if (records.length > PAGE_RECORDS)
    faults.push(`has ${records.length} records: only the first ${PAGE_RECORDS} are read`);
  return { entries, faults, ...(typeof pages === 'number' ? { pages } : {}) };
}

/** The members of a list by id. Those without a usable id become faults. */
export function byId(
  members: readonly unknown[],
  idField: string,
): { entries: Map<string, unknown>; faults: string[] } {
  const entries = new Map<string, unknown>();
  const faults: string[] = [];
  for (const member of members) {
    const entryId = isJsonObject(member) ? member[idField] : undefined;
    if (typeof entryId === 'string' && isUsableId(entryId)) entries.set(entryId, member);
    else if (faults.length < MAX_FAULTS) faults.push(`has an entry whose ${idField} is not an id: ${shownId(entryId)}`);
  }
  return { entries, faults };
}

const ID = id();
/** `.` and `..` would lead to another path. */
const isUsableId = (text: string): boolean => ID.safeParse(text).success && text !== '.' && text !== '..';

/** The most faults of one list that are reported. */
const MAX_FAULTS = 20;
const MAX_SHOWN = 100;
/** In ASCII, so that it contains no control sequences for terminals. */
const shownId = (value: unknown): string =>
  (JSON.stringify(value)?.slice(0, MAX_SHOWN) ?? 'missing').replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The sentence of a refused answer. @throws everything else. */
export function refusalOf(thrown: unknown): string {
  if (thrown instanceof AnswerRefused) return thrown.message;
  throw thrown;
}
