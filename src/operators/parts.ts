// The parts of the gateway as operators see them: the problems of this process, and of the others on the same store.
import { z } from 'zod';
import { isProblemKind, PART_NAMES, PROBLEMS } from '../base/monitoring/problem-kinds.js';
import { type OpenProblem, type SharedProblems, textOf } from '../base/monitoring/problems.js';
import { choice, record, time } from '../base/record.js';
import type { ProcessLease } from '../store/process-lease.js';
import type { ProcessFacts } from '../store/process-rows.js';

export const partState = choice('PartState', 'The state of a part of the gateway.', {
  ok: 'It works, as far as the gateway knows.',
  warn: 'It works, but needs somebody soon.',
  bad: 'Something does not work now.',
});

export const part = record('Part', 'A part of the gateway, or one of its problems if it has several.', {
  part: z.string().describe('Its name, as in the metric `gateway_problem`: `store`, `mail`, …'),
  state: partState.describe('Its state.'),
  since: time.nullable().describe('Since when; null: it works.'),
  sentence: z.string().nullable().describe('What is wrong; null: it works.'),
  todo: z.string().nullable().describe('What to do; null: it works. `docs/runbook.md` says more.'),
});
export type Part = z.output<typeof part>;

/** What the processes on a store know of their parts. */
export class Parts {
  constructor(private readonly parts: { problems: SharedProblems; processLease: Pick<ProcessLease, 'others'> }) {}

  /** Every part; one with several problems has an entry for each. While the store is away, only this process's problems are known. */
  async list(): Promise<Part[]> {
    const { problems, processLease } = this.parts;
    // Then the store is away, which is among the problems of this process.
    const rows = await processLease.others().catch(() => []);
    return partsOf([...problems.open, ...openProblemsOf(rows)]);
  }
}

/** The problems in the rows of processes, of kinds that this version knows. */
export const openProblemsOf = (rows: readonly Pick<Partial<ProcessFacts>, 'problems'>[]): OpenProblem[] =>
  rows
    .flatMap(({ problems = [] }) => problems)
    .flatMap((one) => (isProblemKind(one.kind) ? [{ ...one, kind: one.kind }] : []));

/** Every part with its problems: those that say the same are one, since the earliest. */
export function partsOf(open: readonly OpenProblem[]): Part[] {
  const bySentence = new Map<string, OpenProblem>();
  for (const problem of open) {
    const sentence = textOf(problem);
    const same = bySentence.get(sentence);
    if (same === undefined || problem.since < same.since) bySentence.set(sentence, problem);
  }
  return PART_NAMES.flatMap((name): Part[] => {
    const own = [...bySentence].filter(([, { kind }]) => PROBLEMS[kind].part === name);
    if (own.length === 0) return [{ part: name, state: 'ok', since: null, sentence: null, todo: null }];
    return own.map(([sentence, { kind, since, todo }]) => {
      const row = PROBLEMS[kind];
      return { part: name, state: row.state, since: new Date(since), sentence, todo: todo ?? row.todo };
    });
  });
}
