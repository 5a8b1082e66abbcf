// Completes a login, by code or by signature: one transaction opens the session, marks the login as used and writes the event.
import type { ClientSession, Connection } from 'mongoose';
import { DomainError } from '../base/errors.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { AppendEvents } from '../store/event-port.js';
import type { HolderRow } from './models.js';
import type { PartnerLogins } from './partner-logins.service.js';
import { sessionEvent } from './session-events.js';
import { type LoginResult, loginResultOf } from './session-types.js';
import type { Sessions } from './sessions.js';

/** A proven login. */
export interface ProvedLogin {
  holder: HolderRow;
  partnerId: string;
  partnerUserId: string | undefined;
  /** The partner whose page the holder came from. */
  sourcePartnerId?: string;
  /** Started with a partner token. */
  vouched: boolean;
  /** Marks the login as used; false if it was already used. */
  spend(session: ClientSession): Promise<boolean>;
}

export interface SessionOpeningParts {
  connection: Connection;
  partners: Pick<PartnerDirectory, 'find'>;
  sessions: Sessions;
  partnerLogins: PartnerLogins;
  appendEvents: AppendEvents;
}

/** Opens the session of a proven login. */
export class SessionOpener {
  constructor(private readonly parts: SessionOpeningParts) {}

  /** @throws DomainError GONE if the login was used, or its partner retired meanwhile. */
  async open({ holder, partnerId, partnerUserId, sourcePartnerId, vouched, spend }: ProvedLogin): Promise<LoginResult> {
    const { connection, partners, sessions, partnerLogins, appendEvents } = this.parts;
    if ((await partners.find(partnerId)) === undefined) throw loginGone();
    const { _id: holderId, abstractAccountAddress } = holder;
    const of = { holderId, partnerId, partnerUserId };
    return connection.transaction(async (session) => {
      if (!(await spend(session))) throw loginGone();
      const opening = { ...of, sourcePartnerId, abstractAccountAddress, vouched };
      const token = await sessions.open(opening, session);
      await partnerLogins.remember(holderId, partnerId, session);
      const { token: _secret, ...facts } = loginResultOf(holder, token);
      await appendEvents([sessionEvent('logged_in', of, facts)], session);
      return loginResultOf(holder, token);
    });
  }
}

export function loginGone(): DomainError {
  return new DomainError('GONE', 'The login has expired, was used, or was tried too often; log in again.');
}

/** Number of tries of a login. */
export const MAX_TRIES = 5;
/** Lifetime of a login. */
export const LOGIN_MS = 10 * 60_000;

/** The message after a wrong try. */
export function triesLeft({ tries }: { tries: number }): string {
  const remaining = MAX_TRIES - tries;
  return remaining === 0 ? 'log in again' : `${remaining} ${remaining === 1 ? 'try is' : 'tries are'} left`;
}
