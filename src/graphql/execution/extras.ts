// What an answer says of itself (contract §11), for clients that ask with `x-include: freshness,cost`.
import type { ExecutionResult } from 'graphql';
import type { Charge, CostSummary } from '../../base/points.js';

/** Every write before `asOf` is in the answer, which is `lagMs` milliseconds old when it leaves. */
export interface Freshness {
  asOf: string;
  lagMs: number;
}

export interface Wants {
  freshness: boolean;
  cost: boolean;
}

const NOTHING: Wants = { freshness: false, cost: false };

/** What a request's `x-include` header asks for. */
export function wantsOf(header: string | string[] | undefined): Wants {
  if (header === undefined) return NOTHING;
  const names = new Set([header].flat().flatMap((list) => list.split(',').map((name) => name.trim())));
  return { freshness: names.has('freshness'), cost: names.has('cost') };
}

/** The answer with what it was asked for. `readAt`: milliseconds since the epoch, taken before anything was read. */
export function withExtras(
  result: ExecutionResult,
  { wants, charge }: { wants: Wants; charge: Charge },
  readAt: number,
): ExecutionResult {
  if (!wants.freshness && !wants.cost) return result;
  const now = Date.now();
  const extras: { freshness?: Freshness; cost?: CostSummary } = {
    ...(wants.freshness ? { freshness: { asOf: new Date(readAt).toISOString(), lagMs: now - readAt } } : {}),
    ...(wants.cost ? { cost: charge.summary(now) } : {}),
  };
  return { ...result, extensions: { ...result.extensions, ...extras } };
}
