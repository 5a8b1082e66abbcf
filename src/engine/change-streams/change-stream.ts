// A change stream: follows the oplog from a position, turns entries into events, runs the client's stages over them, and ends when invalidated.
import { dependencies, topLevel } from '../aggregate/dependencies.js';
import type { CompiledPipeline } from '../aggregate/stage.js';
import { baseVars, type PipelineEnv, type Vars } from '../expressions/types.js';
import { decode, toResultBytes } from '../bson/codec.js';
import { equalValues } from '../bson/compare.js';
import { picker } from '../bson/pick.js';
import { type Doc, isDocument } from '../bson/types.js';
import { eventOf, invalidateEvent, invalidates, isInScope, type StreamScope } from './change-events.js';
import type { BatchSource, Tail } from '../sessions/cursors.js';
import type { Engine } from '../engine.js';
import { fail, mongoError } from '../errors.js';
import { prepare } from '../planner/execute.js';
import { fromToken, LAST_INDEX, type OplogPosition, toToken } from './resume-token.js';
import type { EntryPart, OplogEntry } from '../store/oplog.js';
import { docOf } from '../store/view.js';

const CHUNK = 200;

/** Options of a stream. */
export interface StreamOptions {
  scope: StreamScope;
  /** For updates, look up the current document. */
  lookup: boolean;
  stages: Doc[];
  /** The stages, compiled once: each maps an event to one or none. */
  pipeline: CompiledPipeline;
  env: PipelineEnv;
}

/** The source of a change stream's cursor. */
export class ChangeStream implements BatchSource, Tail {
  readonly #engine: Engine;
  readonly #options: StreamOptions;
  #position: OplogPosition;
  /** What is read of oplog entries: not the inserted and replacing documents, unless they can reach the client. */
  readonly #part: EntryPart;
  /** Values of the stages' variables, the same for the life of the stream: $match compiles its filter for them. */
  readonly #vars: Vars;
  #pending: Doc[] = [];
  #ended = false;

  /** Starts after a position. Throws ChangeStreamHistoryLost (286) when the oplog no longer reaches back to it. */
  constructor(engine: Engine, options: StreamOptions, position: OplogPosition) {
    this.#engine = engine;
    this.#options = options;
    this.#position = position;
    this.#vars = baseVars(options.env);
    this.#part = partOf(options);
    this.#requireHistory();
    if (position.kind === 'event') this.#finishEntry(position);
  }

  #requireHistory(): void {
    if (this.#engine.oplog.reachesBackTo(this.#position.ts, this.#position.index)) return;
    throw mongoError(
      'ChangeStreamHistoryLost',
      'Resume of change stream was not possible, as the resume point may no longer be in the oplog.',
      { labels: ['NonResumableChangeStreamError'] },
    );
  }

  /** When a stream resumes after an invalidating change, the next event is the invalidation. */
  #finishEntry(position: OplogPosition): void {
    const before =
      position.index === 0
        ? { ts: position.ts - 1n, index: LAST_INDEX }
        : { ts: position.ts, index: position.index - 1 };
    const [entry] = this.#engine.oplog.read(before.ts, before.index, 1);
    if (entry?.ts !== position.ts || entry.index !== position.index) return;
    if (isInScope(entry.doc, this.#options.scope) && invalidates(entry, this.#options.scope))
      this.#pending = [invalidateEvent(entry)];
  }

  async next(): Promise<Buffer[] | null> {
    if (this.#ended) return null;
    const events = this.#pending.length > 0 ? this.#takePending() : this.#read();
    if (events.length === 0) return [];
    return this.#shape(events);
  }

  #takePending(): Doc[] {
    const events = this.#pending;
    this.#pending = [];
    this.#ended = true;
    return events;
  }

  #read(): Doc[] {
    this.#requireHistory();
    const events: Doc[] = [];
    while (events.length === 0) {
      const entries = this.#engine.oplog.read(this.#position.ts, this.#position.index, CHUNK, this.#part);
      if (entries.length === 0) break;
      for (const entry of entries) {
        this.#position = { ts: entry.ts, index: entry.index, kind: 'event' };
        this.#add(entry, events);
        if (this.#ended) return events;
      }
    }
    return events;
  }

  #add(entry: OplogEntry, events: Doc[]): void {
    const { scope, lookup } = this.#options;
    if (!isInScope(entry.doc, scope)) return;
    const event = eventOf(entry, scope);
    if (event) events.push(lookup && event.operationType === 'update' ? this.#withDocument(event) : event);
    if (!invalidates(entry, scope)) return;
    events.push(invalidateEvent(entry));
    this.#ended = true;
  }

  #withDocument(event: Doc): Doc {
    const { _id, operationType, clusterTime, wallTime, ...rest } = event;
    return { _id, operationType, clusterTime, wallTime, fullDocument: this.#current(event), ...rest };
  }

  #current(event: Doc): Doc | null {
    const ns = isDocument(event.ns) ? `${event.ns.db}.${event.ns.coll}` : '';
    const collection = this.#engine.catalog.find(ns);
    if (!collection || !isDocument(event.documentKey)) return null;
    const filter = { _id: { $eq: event.documentKey._id } };
    const { scan } = prepare({ view: this.#engine.latest, collection, filter, limit: 1, apiStrict: false });
    for (let rows = scan.next(); rows !== null; rows = scan.next()) if (rows[0]) return docOf(rows[0]);
    return null;
  }

  /** Runs the client's stages; an event must keep its `_id`, which is its resume token. */
  #shape(events: readonly Doc[]): Buffer[] {
    const { mapOne } = this.#options.pipeline;
    if (!mapOne) throw new Error('a stage of a change stream maps events one to one');
    const shaped: Buffer[] = [];
    for (const event of events) {
      const doc = mapOne(event, this.#vars);
      if (doc === null) continue;
      if (!equalValues(event._id, doc._id)) throw tokenLost();
      shaped.push(toResultBytes(doc));
    }
    return shaped;
  }

  wait(ms: number, end: AbortSignal): Promise<void> {
    return this.#engine.oplog.news(ms, end);
  }

  /** postBatchResumeToken: the last event that was returned, or how far the oplog was read. */
  extra(last: Buffer | undefined): Doc {
    if (last) return { postBatchResumeToken: decode(last)._id };
    return { postBatchResumeToken: toToken(this.#position) };
  }

  close(): void {
    this.#ended = true;
    this.#pending = [];
  }
}

/** The fields of oplog entries from which a field of an event is made, if a client can have it without the others. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  documentKey: ['o2'],
  wallTime: ['wall'],
  lsid: ['lsid', 'txnNumber'],
  txnNumber: ['lsid', 'txnNumber'],
  collectionUUID: ['ui'],
};

/** What a stream reads of entries; `fullDocument` of updates is looked up by their key. */
function partOf({ stages, scope, lookup }: StreamOptions): EntryPart {
  const paths = dependencies(stages);
  const shown = paths === null ? [...Object.keys(SOURCES), 'fullDocument'] : topLevel(paths);
  const fields = shown.flatMap((field) => SOURCES[field] ?? []);
  const showsDocuments = shown.includes('fullDocument');
  const isWhole = (entry: Doc): boolean =>
    isInScope(entry, scope) && (showsDocuments || (entry.op !== 'i' && entry.op !== 'r'));
  return { pick: picker(['op', 'ns', ...new Set([...fields, ...(lookup ? ['o2'] : [])])]), isWhole };
}

function tokenLost() {
  return mongoError(
    'ChangeStreamFatalError',
    'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline. Modifying the _id field of an event makes it impossible to resume the stream from that point. Only transformations that retain the unmodified _id field are allowed.',
    { labels: ['NonResumableChangeStreamError'] },
  );
}

/** The start of a stream: after a token, at a time, or now. */
export function startOf(
  engine: Engine,
  options: { resumeAfter?: unknown; startAfter?: unknown; at?: bigint },
): OplogPosition {
  const { resumeAfter, startAfter, at } = options;
  if (resumeAfter !== undefined) {
    const position = fromToken(resumeAfter);
    if (position.kind !== 'invalidate') return position;
    return fail(
      'InvalidResumeToken',
      "Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification.",
    );
  }
  if (startAfter !== undefined) return fromToken(startAfter);
  if (at !== undefined) return { ts: at - 1n, index: LAST_INDEX, kind: 'mark' };
  return { ts: engine.oplog.lastTs(), index: LAST_INDEX, kind: 'mark' };
}
