// Joins writes of several requests: those that wait while some transactions are open share the next one, so a busy process sends fewer
// commands and commits less often. A write that comes while few are open has a transaction of its own, at once.
import { MongoError, MongoServerError } from 'mongodb';

/** Transactions that are open at once; further writes wait for the end of one. */
const AT_ONCE = 2;
/** The most writes in one transaction. */
const MOST_TOGETHER = 16;

export interface JoinedOptions<W, R> {
  /** Writes with the same key are never in transactions at the same time: they would conflict. */
  keyOf(write: W): string;
  /** Does one or several writes in one transaction, which is attempted once; returns their results in this order. */
  together(writes: readonly W[]): Promise<R[]>;
  /** Does one write in a transaction of its own, after `together` was refused or the database could not be reached. */
  alone(write: W): Promise<R>;
}

interface Waiting<W, R> {
  write: W;
  key: string;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/** Writes of one kind. */
export class JoinedWrites<W, R> {
  #waiting: Waiting<W, R>[] = [];
  #open = 0;
  readonly #keys = new Set<string>();

  constructor(private readonly options: JoinedOptions<W, R>) {}

  /** Does a write. @throws what `alone` throws, or `together` when the database cannot be reached */
  do(write: W): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, key: this.options.keyOf(write), resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    while (this.#open < AT_ONCE) {
      const group = this.#take();
      if (group.length === 0) return;
      this.#open += 1;
      void this.#run(group);
    }
  }

  /** The next writes, in order, without those whose keys are in use. */
  #take(): Waiting<W, R>[] {
    const group: Waiting<W, R>[] = [];
    const left: Waiting<W, R>[] = [];
    for (const each of this.#waiting) {
      const isFree = group.length < MOST_TOGETHER && !this.#keys.has(each.key);
      if (isFree) this.#keys.add(each.key);
      (isFree ? group : left).push(each);
    }
    this.#waiting = left;
    return group;
  }

  async #run(group: readonly Waiting<W, R>[]): Promise<void> {
    const results = await this.options.together(group.map(({ write }) => write)).catch(outageOf);
    this.#open -= 1;
    if (results instanceof Outage) this.#fail(group, results.cause);
    else if (results) for (const [at, { resolve }] of group.entries()) resolve(results[at] as R);
    // Not awaited: one that conflicts with a transaction of a killed process is refused for up to a minute, and others must not wait for it.
    else for (const each of group) void this.#alone(each).then(() => this.#free([each]));
    if (results) this.#free(group);
    else this.#begin();
  }

  #free(group: readonly Waiting<W, R>[]): void {
    for (const { key } of group) this.#keys.delete(key);
    this.#begin();
  }

  async #alone(each: Waiting<W, R>): Promise<void> {
    await this.options.alone(each.write).then(each.resolve, (error: unknown) => {
      if (outageOf(error)) this.#fail([each], error);
      else each.reject(error);
    });
  }

  /** Those that wait begin at once, each alone: one after the other they would wait for the same outage again and again. */
  #fail(group: readonly Waiting<W, R>[], error: unknown): void {
    for (const { reject } of group) reject(error);
    for (const each of this.#waiting.splice(0)) void this.#alone(each);
  }
}

/** The database could not be reached, or did not say whether it committed: another attempt would only take longer, or write twice. */
class Outage {
  constructor(readonly cause: unknown) {}
}

const LABELS = ['TransientTransactionError', 'UnknownTransactionCommitResult'];

/** The outage that an error stands for; undefined: the write was refused. */
function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof MongoError)) return undefined;
  // A bulk write has the driver's own failure inside.
  if (error instanceof MongoServerError && error.errorResponse instanceof MongoError)
    return outageOf(error.errorResponse) && new Outage(error);
  const isRefusal = error instanceof MongoServerError && !LABELS.some((label) => error.hasErrorLabel(label));
  return isRefusal ? undefined : new Outage(error);
}
