// As whom a group's operation runs: callers who may see the same share one execution.
import type { Caller } from '../../base/caller.js';

export interface Viewer {
  /** The same for callers who see the same. */
  scope: string;
  /** Who executes for all of them: nothing that is one caller's alone is in it. */
  caller: Caller;
}

/** The viewer that a caller is. A holder's sessions are kept apart; a partner's tokens are not, so what only one token says is left out. */
export function viewerOf(caller: Caller): Viewer {
  if (caller.kind === 'holder') return { scope: `holder ${caller.holderId} ${caller.sessionId}`, caller };
  if (caller.kind !== 'partner') return { scope: caller.kind, caller };
  const scopes = [...caller.scopes].sort();
  return {
    scope: `partner ${caller.partnerId} ${scopes}`,
    caller: { ...caller, scopes, claims: {}, kid: '', expiresAt: Number.POSITIVE_INFINITY },
  };
}
