// Problems: parts of the gateway that do not work although it serves requests. A problem is logged when it begins and ends; in between it
// is in `/health/ready`, in the metric `gateway_problem` and in what operators see.
import type { FastifyBaseLogger } from 'fastify';
import { reasonOf } from '../reason.js';
import type { LabelledValues } from './metrics.js';
import { PART_NAMES, PROBLEMS, type ProblemKind } from './problem-kinds.js';

/** What is known of a problem besides its kind. */
export interface ProblemFacts {
  /** Which of several, such as a partner or a mirror; only logged. */
  of?: string;
  /** The error behind it. Its reason is public if it is a known one; the error itself is only logged. */
  cause?: unknown;
  /** What was found, one public sentence: no address, no name of a partner or holder. */
  note?: string;
}

/** Where parts of the gateway report their problems. */
export interface ProblemReport {
  /** Begins a problem, or says it again. */
  raise(kind: ProblemKind, facts?: ProblemFacts): void;
  /** It is over. @param of as in `raise` */
  clear(kind: ProblemKind, of?: string): void;
}

/** A problem that a check has found. */
export interface FoundProblem extends ProblemFacts {
  kind: ProblemKind;
}

/** Looks for problems that nothing reports by itself, every 15 s. */
export interface PartCheck {
  /** The kinds that it may find; one that it does not find is over. */
  kinds: readonly ProblemKind[];
  /** @throws if it cannot be known now; what was known then stays. */
  look(): Promise<readonly FoundProblem[]> | readonly FoundProblem[];
}

/** A problem that is open. */
export interface OpenProblem {
  kind: ProblemKind;
  /** When it began, milliseconds since the epoch. */
  since: number;
  /** What is said after the sentence; empty: nothing. */
  note: string;
  /** What to do about its cause, if that is known better than by its kind. */
  todo?: string;
}

/** Problems that others can read. */
export interface SharedProblems extends ProblemReport {
  /** The open problems, oldest first. */
  readonly open: readonly OpenProblem[];
}

interface Entry extends OpenProblem {
  of: string | undefined;
  loggedAt: number;
}

/** A changed note of an open problem is logged at most this often, milliseconds. */
const LOG_AGAIN_MS = 60_000;

const VALUE = { warn: 1, bad: 2 } as const;

/** The problems of this process. */
export class Problems implements SharedProblems {
  readonly #open = new Map<string, Entry>();

  constructor(
    private readonly log: Pick<FastifyBaseLogger, 'warn' | 'info'>,
    private readonly clock: () => number = Date.now,
  ) {}

  raise(kind: ProblemKind, { of, cause, note }: ProblemFacts = {}): void {
    const key = keyOf(kind, of);
    const reason = cause === undefined ? undefined : reasonOf(cause);
    const said = [note, reason && `The reason: ${reason.says}.`].filter(Boolean).join(' ');
    const before = this.#open.get(key);
    const at = this.clock();
    const isNews = before === undefined || (before.note !== said && at - before.loggedAt >= LOG_AGAIN_MS);
    const entry: Entry = {
      kind,
      of,
      since: before?.since ?? at,
      note: said,
      loggedAt: isNews ? at : before.loggedAt,
      ...(reason?.mend === undefined ? {} : { todo: reason.mend }),
    };
    this.#open.set(key, entry);
    if (isNews) this.log.warn({ ...labelsOf(entry), ...(cause === undefined ? {} : { err: cause }) }, textOf(entry));
  }

  clear(kind: ProblemKind, of?: string): void {
    const entry = this.#open.get(keyOf(kind, of));
    if (entry === undefined) return;
    this.#open.delete(keyOf(kind, of));
    this.log.info(labelsOf(entry), 'this part works again');
  }

  /** Raises what a check has found, and clears what it has not found. */
  replace(kinds: readonly ProblemKind[], found: readonly FoundProblem[]): void {
    const present = new Set(found.map(({ kind, of }) => keyOf(kind, of)));
    for (const { kind, of } of [...this.#open.values()])
      if (kinds.includes(kind) && !present.has(keyOf(kind, of))) this.clear(kind, of);
    for (const { kind, ...facts } of found) this.raise(kind, facts);
  }

  /** The open problems, oldest first. */
  get open(): readonly OpenProblem[] {
    return [...this.#open.values()];
  }

  /** The state of every part, for the metric `gateway_problem`: 0 works, 1 needs somebody soon, 2 does not work. */
  get states(): LabelledValues {
    const states: Record<string, number> = Object.fromEntries(PART_NAMES.map((part) => [part, 0]));
    for (const { kind } of this.open) {
      const { part, state } = PROBLEMS[kind];
      states[part] = Math.max(states[part] ?? 0, VALUE[state]);
    }
    return states;
  }

  /** The sentences of the current problems, each once. */
  list(): string[] {
    return [...new Set(this.open.map(textOf))];
  }
}

const keyOf = (kind: ProblemKind, of: string | undefined): string => (of === undefined ? kind : `${kind} ${of}`);

const labelsOf = ({ kind, of }: Entry): object => ({
  part: PROBLEMS[kind].part,
  problem: kind,
  ...(of === undefined ? {} : { of }),
});

/** The sentence of a problem, and what was found. */
export const textOf = ({ kind, note }: Pick<OpenProblem, 'kind' | 'note'>): string =>
  note === '' ? PROBLEMS[kind].sentence : `${PROBLEMS[kind].sentence} ${note}`;
