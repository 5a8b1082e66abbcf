// The times of tokens that others sign (RFC 7519 §4.1): one tolerance for clocks that differ, at every door.

/** How far the clock of whoever signed a token may differ from ours, seconds (contract §3). */
export const CLOCK_TOLERANCE_S = 30;

/** The claims of a token that are times, as they come: nothing of them is checked yet. */
export interface TokenTimes {
  exp?: unknown;
  nbf?: unknown;
  iat?: unknown;
}

/** What is wrong with a time: it is no number, it is over, or it lies ahead. */
export interface TimeFault {
  claim: keyof TokenTimes;
  fault: 'no number' | 'over' | 'ahead';
}

/** Whether a time of a token (`exp`) is over, by our clock in ms since 1970 UTC. */
export const isOver = (exp: number, now: number): boolean => exp <= now / 1_000 - CLOCK_TOLERANCE_S;

/** Whether a time of a token (`nbf`, `iat`) lies ahead of our clock, in ms since 1970 UTC. */
export const isAhead = (start: number, now: number): boolean => start > now / 1_000 + CLOCK_TOLERANCE_S;

/**
 * The first fault of a token's times; undefined: the token is in its time. A claim that is absent has none.
 * @param times seconds since 1970 UTC
 * @param now ms since 1970 UTC
 */
export function timeFault(times: TokenTimes, now: number): TimeFault | undefined {
  for (const claim of ['exp', 'nbf', 'iat'] as const) {
    const time = times[claim];
    if (time === undefined) continue;
    if (typeof time !== 'number' || !Number.isFinite(time)) return { claim, fault: 'no number' };
    if (claim === 'exp' ? isOver(time, now) : isAhead(time, now))
      return { claim, fault: claim === 'exp' ? 'over' : 'ahead' };
  }
  return undefined;
}

/** Whether a proof was made now: its `iat` is at most so many seconds before or after our clock. Each kind of proof has its own limit. */
export const isMadeNow = (iat: number, now: number, limitS: number): boolean => Math.abs(now / 1_000 - iat) <= limitS;
