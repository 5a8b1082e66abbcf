// Tells a holder, on its own device, which conditions of a request its claim meets, and what those it does not meet would need (contract §17).
import { evaluate, type Verdict, valueAt } from './evaluate.js';
import { conditionsOf, type FieldForm } from './normal-form.js';
import { printCondition } from './print.js';
import type { Condition } from './types.js';

/** What is read of a verification request. */
export interface ExplainedRequest {
  accepted: readonly { credentialId: string; conditions: readonly FieldForm[] }[];
}

/** What is read of a claim. */
export interface ExplainedClaim {
  credentialId: string;
  credentialSubject: Record<string, unknown>;
}

export interface ExplainedCondition {
  /** As text. */
  condition: string;
  met: boolean;
  /** Null when met. */
  why: Exclude<Verdict, 'met'> | null;
  /** What the field would have to be; null when met. */
  needs: Pick<Condition, 'operator' | 'values'> | null;
}

export interface Explanation {
  credentialId: string;
  met: boolean;
  conditions: ExplainedCondition[];
}

/**
 * Explains what a claim meets of the accepted credentials that it may be: those of its credential.
 * @param now ms since 1970 UTC
 */
export function explain(request: ExplainedRequest, claim: ExplainedClaim, now: number): Explanation[] {
  return request.accepted
    .filter(({ credentialId }) => credentialId === claim.credentialId)
    .map(({ credentialId, conditions }) => {
      const explained = conditions.flatMap((form) => explainForm(form, claim.credentialSubject, now));
      return { credentialId, met: explained.every(({ met }) => met), conditions: explained };
    });
}

function explainForm(form: FieldForm, subject: Record<string, unknown>, now: number): ExplainedCondition[] {
  const value = valueAt(subject, form.field);
  return conditionsOf(form).map((condition) => {
    const verdict = evaluate(condition, form.family, value, now);
    const { operator, values } = condition;
    const text = printCondition(condition);
    if (verdict === 'met') return { condition: text, met: true, why: null, needs: null };
    return { condition: text, met: false, why: verdict, needs: { operator, values } };
  });
}
