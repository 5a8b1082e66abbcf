// Regular expressions that cannot block the engine: a pattern that may backtrack for long runs under a time limit.
import { createContext, Script } from 'node:vm';
import { fail } from '../errors.js';

/** Processor time of one match. */
const LIMIT_MS = 100;
/** Elapsed time of one match, on an overloaded machine. */
const LONGEST_MS = 3_200;
/** Up to this many steps take a few milliseconds at most, and need no time limit. */
const FREE_STEPS = 2_000_000;

/** How a pattern's steps grow with the text: `factor` times the length to the `power`; infinite if they may grow exponentially. */
export interface Growth {
  factor: number;
  power: number;
}

/** A compiled pattern. */
export class Pattern {
  constructor(
    readonly regex: RegExp,
    readonly growth: Growth,
  ) {}

  /** Whether the text matches. Throws 51156 when that takes too long. */
  test(text: string): boolean {
    return this.run(text, this.regex, (regex) => regex.test(text));
  }

  /** Runs work with this pattern (or a variant of it, as for all matches of a text) on a text. Throws 51156 when it takes too long. */
  run<T>(text: string, regex: RegExp, work: (regex: RegExp) => T): T {
    const { factor, power } = this.growth;
    // A match may start at every position, and a global search starts again after each match.
    const steps = factor * text.length ** (power + (power > 0 || regex.global ? 1 : 0));
    return steps <= FREE_STEPS ? work(regex) : watched(() => work(regex));
  }
}

const context = createContext({ job: undefined });
const runJob = new Script('job()');

/**
 * Runs work under a script's time limit, which is the only way to interrupt a regular expression. The limit is elapsed
 * time and includes that of other processes: work that used less processor time than allowed is retried with twice the
 * limit.
 */
function watched<T>(work: () => T, timeout = LIMIT_MS): T {
  const before = process.cpuUsage();
  try {
    context.job = work;
    return runJob.runInContext(context, { timeout }) as T;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    const { user } = process.cpuUsage(before);
    if (user < LIMIT_MS * 1_000 && timeout < LONGEST_MS) return watched(work, 2 * timeout);
    return fail(51156, `Error occurred while executing the regular expression: it took longer than ${LIMIT_MS} ms`);
  } finally {
    context.job = undefined;
  }
}
