// Freshness and cost of a response (contract §11), for clients that send `x-include: freshness,cost`.
import type { ExecutionResult } from 'graphql';
import type { Charge, CostSummary } from '../../base/callers/points.js';

/** The response contains every write before `asOf`, and is `lagMs` milliseconds old when it is sent. */
export interface Freshness {
  asOf: string;
  lagMs: number;
}

export interface Wants {
  freshness: boolean;
  cost: boolean;
}

const NOTHING: Wants = { freshness: false, cost: false };

/** The extras that a request's `x-include` header requests. */
export function wantsOf(header: string | string[] | undefined): Wants {
  if (header === undefined) return NOTHING;
  const names = new Set([header].flat().flatMap((list) => list.split(',').map((name) => name.trim())));
  return { freshness: names.has('freshness'), cost: names.has('cost') };
}

/** The result with the requested extras. `readAt`: milliseconds since the epoch, before anything was read. */
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
