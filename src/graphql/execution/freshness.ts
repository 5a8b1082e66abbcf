// `extensions.freshness` (contract §11): how old an answer may be, for clients that ask with `x-include: freshness`.
import type { ExecutionResult } from 'graphql';

/** Every write before `asOf` is in the answer, which is `lagMs` milliseconds old when it leaves. */
export interface Freshness {
  asOf: string;
  lagMs: number;
}

/** Whether a request's `x-include` header names something. */
export function includes(header: string | string[] | undefined, name: string): boolean {
  return header !== undefined && [header].flat().some((list) => list.split(',').some((item) => item.trim() === name));
}

/** The answer with its freshness. `asOf`: milliseconds since the epoch, taken before anything was read. */
export function withFreshness(result: ExecutionResult, asOf: number): ExecutionResult {
  const freshness: Freshness = { asOf: new Date(asOf).toISOString(), lagMs: Date.now() - asOf };
  return { ...result, extensions: { ...result.extensions, freshness } };
}
