// Rules that allow or forbid an operation, as data: the operation enforces a list of rules, and `why` explains the same list.
import { z } from 'zod';
import type { DomainError } from '../errors.js';
import { choice, record } from '../record.js';

/** One rule about some facts. */
export interface Rule<F> {
  /** Its name, such as `partner.issueOnBehalf`. */
  rule: string;
  /** The explanation if the rule allows. */
  allows: string;
  /** What to change so that the rule allows, or can be evaluated. */
  mend: string;
  /** The error with which the operation refuses; undefined: it allows. */
  refusal(facts: F): DomainError | undefined;
  /** The sentence of the explanation, if the error's sentence deliberately reveals less. */
  forbids?: string | ((facts: F) => string);
  /**
   * Why the rule cannot be evaluated; undefined if it can. An operation always has all facts; a question to `why` may
   * lack some.
   */
  unknown?(facts: F): string | undefined;
}

/** Rules in the order in which they are enforced. Facts that pass all of them are `A`. */
export type Rules<F, A extends F = F> = readonly Rule<F>[] & { readonly admits?: A };

export const ruleVerdict = choice('RuleVerdict', 'The verdict of a rule.', {
  ALLOWED: 'It allows the operation.',
  FORBIDDEN: 'It forbids the operation.',
  UNKNOWN: 'A fact is missing, so it could not be checked.',
});
export type Verdict = z.output<typeof ruleVerdict>;

export const ruleSentence = z.string().describe('The verdict as a sentence for a person.');

export const ruleCheck = record('RuleCheck', 'The verdict of one rule about an operation.', {
  rule: z.string().describe('Its name, such as `partner.issueOnBehalf`.'),
  verdict: ruleVerdict.describe('Its verdict.'),
  sentence: ruleSentence,
  mend: z.string().nullable().describe('How to fix it; null if the operation is allowed.'),
});
export type Check = z.output<typeof ruleCheck>;

/** Enforces the rules. @throws DomainError of the first rule that forbids. */
export function enforce<F, A extends F>(rules: Rules<F, A>, facts: F): asserts facts is A {
  for (const { refusal } of rules) {
    const error = refusal(facts);
    if (error !== undefined) throw error;
  }
}

/** Evaluates every rule, also those after one that forbids. */
export function explain<F>(rules: Rules<F>, facts: F): Check[] {
  return rules.map((rule) => checkOf(rule, facts));
}

function checkOf<F>({ rule, allows, forbids, mend, refusal, unknown }: Rule<F>, facts: F): Check {
  const gap = unknown?.(facts);
  if (gap !== undefined) return { rule, verdict: 'UNKNOWN', sentence: gap, mend };
  const error = refusal(facts);
  if (error === undefined) return { rule, verdict: 'ALLOWED', sentence: allows, mend: null };
  const sentence = typeof forbids === 'function' ? forbids(facts) : (forbids ?? error.message);
  return { rule, verdict: 'FORBIDDEN', sentence, mend };
}

/** The verdict of all checks: forbidden if one forbids, otherwise unknown if one is unknown. */
export function verdictOf(checks: readonly Check[]): Verdict {
  const verdicts = new Set(checks.map(({ verdict }) => verdict));
  if (verdicts.has('FORBIDDEN')) return 'FORBIDDEN';
  return verdicts.has('UNKNOWN') ? 'UNKNOWN' : 'ALLOWED';
}
