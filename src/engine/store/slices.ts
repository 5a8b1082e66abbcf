// Runs the body of a writing command in slices of a few milliseconds, each one lmdb write; other commands run between slices.
import { MongoError, mongoError } from '../errors.js';
import { LockWait } from './locks.js';
import type { DiskSpace } from './disk-space.js';
import type { DirectWriter, SessionNote, WriteParts } from './writer.js';

/** `read`: the next step only reads, so leave the write; `write`: enter a write (again); LockWait: wait for a transaction. */
export type Pause = 'read' | 'write' | LockWait;

/** A command's body: it yields where it can be interrupted. Data that it read before a yield must be read again. */
export type SlicedBody<T> = Generator<Pause, T, void>;

/** Longest time that one command (`SLICE_MS`), and all commands of one turn of the event loop (`TURN_MS`), may occupy the thread. */
const SLICE_MS = 5;
const TURN_MS = 10;

let turnStart = 0;

/** Milliseconds left in this turn of the event loop. */
function turnLeft(): number {
  const now = performance.now();
  if (turnStart === 0) {
    turnStart = now;
    setImmediate(() => {
      turnStart = 0;
    });
  }
  return TURN_MS - (now - turnStart);
}

/** Lets the event loop run. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Throws MaxTimeMSExpired (50) when the deadline (epoch milliseconds) has passed. */
export function requireTime(deadline: number | undefined): void {
  const late = lateness(deadline);
  if (late) throw late;
}

function lateness(deadline: number | undefined): MongoError | undefined {
  if (deadline === undefined || Date.now() <= deadline) return undefined;
  return mongoError('MaxTimeMSExpired', 'operation exceeded time limit');
}

/** The result of a slice. `time`: it used up its time; `missed`: no time was left, so it did not run. */
type SliceOutcome<T> = { done: true; value: T } | { done: false; pause: Pause | 'time' | 'missed' };

interface StepOptions {
  /** Thrown into the body when it continues. */
  fault?: MongoError;
  /** The free space of the store that the slice writes to. */
  diskSpace?: DiskSpace;
}

function step<T>(body: SlicedBody<T>, inWrite: boolean, { fault, diskSpace }: StepOptions = {}): SliceOutcome<T> {
  const end = performance.now() + Math.min(SLICE_MS, turnLeft());
  let result = fault ? body.throw(fault) : body.next();
  for (;;) {
    if (result.done) return { done: true, value: result.value };
    const pause = result.value;
    if (pause instanceof LockWait || (pause === 'read') === inWrite) return { done: false, pause };
    if (performance.now() > end || diskSpace?.shouldEndSlice) return { done: false, pause: 'time' };
    result = body.next();
  }
}

/** The arguments of a sliced write. */
export interface SliceRun<T> {
  parts: WriteParts;
  writer: DirectWriter;
  body: SlicedBody<T>;
  /** The session's note to store with each slice. */
  note?: () => SessionNote | undefined;
  deadline?: number;
  /** Resolves when the slices written so far are on disk. */
  flushed?: Promise<void>;
}

/**
 * Runs a body outside a transaction to its end; resolves when everything it wrote is committed and on disk. After the
 * deadline, MaxTimeMSExpired is thrown into the body, inside a write, so that it can undo its changes.
 */
export async function runSlices<T>(run: SliceRun<T>): Promise<T> {
  let inWrite = true;
  let { deadline } = run;
  await run.parts.groups.turn();
  // Every write also stores the session's note.
  run.parts.diskSpace.requireToRemove(0);
  for (;;) {
    const late = lateness(deadline);
    if (late) deadline = undefined;
    inWrite ||= late !== undefined;
    const outcome = inWrite ? await writeSlice(run, late) : step(run.body, false);
    if (outcome.done) {
      await run.flushed;
      return outcome.value;
    }
    if (outcome.pause === 'read') inWrite = false;
    else if (outcome.pause === 'write') inWrite = true;
    else if (outcome.pause instanceof LockWait) await waitFor(outcome.pause, deadline);
    // A slice that did not run is queued again at once, and so before those that ran.
    else if (outcome.pause === 'time') await breathe();
  }
}

async function writeSlice<T>(run: SliceRun<T>, late: MongoError | undefined): Promise<SliceOutcome<T>> {
  const outcome = await committed(run, (): SliceOutcome<T> => {
    if (turnLeft() <= 0 && !late) return { done: false, pause: 'missed' };
    try {
      return step(run.body, true, { fault: late, diskSpace: run.parts.diskSpace });
    } finally {
      run.writer.finishSlice(run.note?.());
    }
  });
  run.parts.oplog.notify();
  return outcome;
}

/** Runs work in lmdb's write transaction and waits for the commit. After a failed commit, memory is reset. */
async function committed<T>(run: SliceRun<unknown>, work: () => T): Promise<T> {
  const { parts, body } = run;
  const { root } = parts.tables;
  try {
    const committing = root.transaction(work);
    // `flushed` now belongs to this commit; after the commit it may belong to a later one.
    run.flushed = root.flushed.then(ignore, ignore);
    parts.groups.joined(run.flushed);
    return await committing;
  } catch (error) {
    if (error instanceof MongoError || !isStoreError(error)) throw error;
    parts.groups.failed();
    parts.commitFailed();
    body.return(undefined);
    throw mongoError('OutOfDiskSpace', `The store could not be written: ${await storeReason(error)}`, {
      cause: error,
    });
  }
}

/** A failed flush also rejects the commit, whose error is reported. */
const ignore = (): void => {};

function isStoreError(error: unknown): boolean {
  return (
    error instanceof Error && (Reflect.has(error, 'commitError') || /MDB_|Commit failed|ENOSPC/.test(error.message))
  );
}

async function storeReason(error: unknown): Promise<string> {
  const cause: unknown = await Promise.resolve(Reflect.get(Object(error), 'commitError')).catch(
    (reason: unknown) => reason,
  );
  return [error, cause]
    .map((each) => (each instanceof Error ? each.message : ''))
    .filter(Boolean)
    .join(' ');
}

async function waitFor(wait: LockWait, deadline: number | undefined): Promise<void> {
  if (deadline === undefined) return wait.until;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - Date.now()) + 1);
  });
  await Promise.race([wait.until, late]);
  clearTimeout(timer);
}

/** Runs a body inside a transaction, step by step as outside, but commits nothing. */
export async function runStaged<T>(body: SlicedBody<T>, deadline: number | undefined): Promise<T> {
  for (;;) {
    requireTime(deadline);
    const outcome = step(body, true);
    if (outcome.done) return outcome.value;
    if (outcome.pause instanceof LockWait) await waitFor(outcome.pause, deadline);
    await breathe();
  }
}

/** Runs one attempt inside a body, and again after each lock that it has to wait for. */
export function* attempt<T>(work: () => T): SlicedBody<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof LockWait)) throw error;
      yield error;
    }
  }
}
