// As whom a group's operation runs: callers who may see the same share one execution.
import { type Caller, partnerWithoutToken } from '../../base/callers/caller.js';

export interface Viewer {
  /** Equal for callers who may see the same. */
  scope: string;
  /** The caller that executes for all of them, without anything private to one. */
  caller: Caller;
}

/** The viewer of a caller. Each session of a holder is its own viewer. Tokens of a partner share one, without claims of single tokens. */
export function viewerOf(caller: Caller): Viewer {
  if (caller.kind === 'holder') return { scope: `holder ${caller.holderId} ${caller.sessionId}`, caller };
  if (caller.kind !== 'partner') return { scope: caller.kind, caller };
  const scopes = [...caller.scopes].sort();
  return {
    scope: `partner ${caller.partnerId} ${scopes}`,
    caller: partnerWithoutToken(caller.partnerId, scopes),
  };
}
