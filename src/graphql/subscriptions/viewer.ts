// The viewer as whom a group's operation runs: callers who may see the same share one execution.
import { type Caller, partnerWithoutToken } from '../../base/callers/caller.js';

export interface Viewer {
  /** The same for callers who may see the same. */
  scope: string;
  /** The caller as whom the operation is executed for all of them. It has nothing that is private to one of them. */
  caller: Caller;
}

/**
 * The viewer of a caller. Each session of a holder is a viewer of its own. All tokens of a partner share one viewer,
 * which has no claims of single tokens.
 */
export function viewerOf(caller: Caller): Viewer {
  if (caller.kind === 'holder') return { scope: `holder ${caller.holderId} ${caller.sessionId}`, caller };
  if (caller.kind !== 'partner') return { scope: caller.kind, caller };
  const scopes = [...caller.scopes].sort();
  return {
    scope: `partner ${caller.partnerId} ${scopes}`,
    caller: partnerWithoutToken(caller.partnerId, scopes),
  };
}
