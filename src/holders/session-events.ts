// Events of a holder's sessions, for the holder and for the session's partner. They never contain a token.
import type { NewEvent } from '../store/event-port.js';

/** The holder and the partner of a session. */
export interface SessionHolder {
  holderId: string;
  partnerId?: string;
}

type SessionEventType =
  | 'initialized'
  | 'logged_in'
  | 'wallet_initialized'
  | 'core_id_minting_started'
  | 'core_id_minted'
  | 'core_id_minting_failed'
  | 'logged_out';

/** An event of a holder's session. */
export function sessionEvent(
  type: SessionEventType,
  { holderId, partnerId }: SessionHolder,
  payload: NewEvent['payload'] = {},
): NewEvent {
  return { type, viewers: partnerId === undefined ? { holderId } : { holderId, partnerId }, payload };
}
