// Explains to a holder, on its own device, which conditions of a request its claim meets, and which values the others require (contract §17).
import { type ConditionVerdict, evaluate, valueAt } from './evaluate.js';
import { conditionsOf, type FieldForm } from './normal-form.js';
import { isJsonObject, own } from './objects.js';
import { printCondition } from './print.js';
import type { Condition } from './types.js';

/** The members of a verification request that this file reads. */
export interface ExplainedRequest {
  accepted: readonly { credentialId: string; conditions: readonly FieldForm[] }[];
}

/** The members of a claim that this file reads. */
export interface ExplainedClaim {
  credentialId: string;
  credentialSubject: Record<string, unknown>;
}

export interface ExplainedCondition {
  /** The condition as text. */
  condition: string;
  met: boolean;
  /** The reason why it is not met; null if met. */
  why: Exclude<ConditionVerdict, 'met'> | null;
  /** The required value; null if met. */
  needs: Pick<Condition, 'operator' | 'values'> | null;
}

export interface Explanation {
  credentialId: string;
  met: boolean;
  conditions: ExplainedCondition[];
}

/**
 * Explains which conditions a claim meets, for each accepted credential of its kind; none if the request does not accept that credential.
 * @param request of GET /v1/verifications/{id}/request, or a program's proof-request
 * @param claim the `coreClaim` of the decrypted package
 * @param now ms since 1970 UTC: that of the challenge
 * @throws TypeError for incomplete arguments, such as a credentialSubject alone
 */
export function explain(request: ExplainedRequest, claim: ExplainedClaim, now: number): Explanation[] {
  checkArguments(request, claim, now);
  return request.accepted
    .filter(({ credentialId }) => credentialId === claim.credentialId)
    .map(({ credentialId, conditions }) => {
      const explained = conditions.flatMap((form) => explainForm(form, claim.credentialSubject, now));
      return { credentialId, met: explained.every(({ met }) => met), conditions: explained };
    });
}

/** Checks the arguments, because callers may be JavaScript programs. */
function checkArguments(request: unknown, claim: unknown, now: unknown): void {
  if (!isJsonObject(request) || !Array.isArray(own(request, 'accepted')))
    throw new TypeError('The request must be the whole response, with its list "accepted".');
  if (typeof own(claim, 'credentialId') !== 'string' || !isJsonObject(own(claim, 'credentialSubject')))
    throw new TypeError(
      'The claim must be the whole coreClaim of the package, with credentialId and credentialSubject.',
    );
  if (!Number.isFinite(now)) throw new TypeError('now must be a number: milliseconds since 1970 UTC.');
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
