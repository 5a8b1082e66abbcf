// Revocation, and the status that follows from it (contract §5). A revocation cannot be undone.

import type { OperatorCaller, PartnerCaller } from '../base/callers/caller.js';
import { enforce } from '../base/callers/rules.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import type { TransactionParts } from './issue-transaction.js';
import { markRevoked, revocationEntry } from './mark-revoked.js';
import type { IssuanceRow } from './models.js';
import { REVOCATION_RULES, type RevocationFacts } from './revocation-rules.js';
import type { Revoked } from './types.js';

/** Names one issuance: by its nonce or its claim hash. */
export type RevocationTarget = { nonce: string } | { coreClaimHash: string };

type RevocationParts = Pick<TransactionParts, 'connection' | 'models' | 'appendEvents' | 'recordWrites' | 'clock'>;

/** Revokes issuances. */
export class RevocationService {
  constructor(private readonly parts: RevocationParts) {}

  /**
   * Revokes an issuance, for the operator or the partner that issued it; a repeated call gets the same response.
   * @throws DomainError NOT_FOUND, for another partner's issuance too.
   */
  async revoke(caller: PartnerCaller | OperatorCaller, target: RevocationTarget): Promise<Revoked> {
    const [field, filter] =
      'nonce' in target
        ? (['nonce', { revocationNonce: target.nonce }] as const)
        : (['coreClaimHash', { coreClaimHash: target.coreClaimHash }] as const);
    const own = caller.kind === 'partner' ? { partnerId: caller.partnerId } : {};
    const { connection, models, appendEvents, recordWrites, clock } = this.parts;
    return connection.transaction(async (session) => {
      const found = await models.issuances.findOne({ ...filter, ...own }, null, { session }).lean<IssuanceRow>();
      const facts: RevocationFacts = { field, issuance: found };
      enforce(REVOCATION_RULES, facts);
      const { issuance } = facts;
      const now = new Date(clock());
      if (issuance.revokedAt === null) {
        await appendEvents(await markRevoked(models, [issuance], { now, session }), session);
        await recordWrites(caller, [revocationEntry(issuance, now)], session);
      }
      return { revokedAt: issuance.revokedAt ?? now };
    }, MAJORITY);
  }
}
