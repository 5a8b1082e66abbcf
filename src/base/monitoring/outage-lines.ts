// Lines about a store that is away or full, which many requests and tasks cause at the same time: one warning every few seconds, without a stack.
import { type DomainError, toDomainError } from '../errors.js';

/** How often the same sentence is logged, milliseconds. */
const EVERY_MS = 5_000;
/** The sentences are constants of this program. */
const MAX_SENTENCES = 100;
/** Pino's numbers of the levels. */
const WARN = 40;
const ERROR = 50;

/** Pino's method of a level. */
type Method = (facts: unknown, sentence?: string, ...more: unknown[]) => void;

/** Facts of a line, of which `err` is an error, `code` one of ours and `problem` the kind of a problem that begins. */
interface Facts {
  err?: unknown;
  code?: unknown;
  problem?: unknown;
}

/**
 * Pino's hook `logMethod`. What fails because the store is away is no fault of the gateway: its lines are warnings, with the reason instead of
 * the stack, and the same sentence is logged once in five seconds, with the number of those between in `more`. At the level debug each is logged.
 */
export function shortenOutages(clock: () => number = () => performance.now()) {
  const said = new Map<string, { at: number; more: number }>();
  return function logMethod(
    this: { warn: Method; debug: Method },
    args: [unknown, string?, ...unknown[]],
    method: Method,
    level: number,
  ): void {
    const [facts, sentence = ''] = args;
    const outage = level === WARN || level === ERROR ? outageIn(facts) : undefined;
    if (outage === undefined) return void method.apply(this, args);
    if (level === ERROR) return void this.warn(facts, outage.logged);
    const { err, ...others } = facts as Facts;
    const line = { ...others, ...(err === undefined ? {} : { reason: reasonIn(err) }) };
    // A problem is logged once, when it begins.
    if (others.problem !== undefined) return void method.call(this, line, sentence);
    this.debug(facts, sentence);
    const now = clock();
    const before = said.get(sentence);
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.more += 1;
      return;
    }
    if (said.size >= MAX_SENTENCES) said.clear();
    said.set(sentence, { at: now, more: 0 });
    method.call(this, before?.more ? { ...line, more: before.more } : line, sentence);
  };
}

/** The store's failure that a line is about, if it is about one. */
function outageIn(facts: unknown): DomainError | undefined {
  if (typeof facts !== 'object' || facts === null) return undefined;
  const { code, err } = facts as Facts;
  const error = toDomainError(err);
  return error.code === 'STORE_UNAVAILABLE' || code === 'STORE_UNAVAILABLE' ? error : undefined;
}

/** The driver's own sentence. */
function reasonIn(error: unknown): string {
  const reason = toDomainError(error).cause ?? error;
  return reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
}
