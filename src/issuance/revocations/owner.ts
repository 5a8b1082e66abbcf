// Whose a preview and its job are: a partner's, or those of one operator key.
import { type Caller, partnerWithoutToken } from '../../base/callers/caller.js';
import type { PartnerOperation } from '../../base/callers/partner-operations.js';
import { requireOperator, requirePartner } from '../../base/callers/rights.js';

/** The caller, as in the audit log. */
export type RevocationCaller =
  | { kind: 'partner'; partnerId: string; kid: string | null; requestId?: string }
  | { kind: 'operator'; keyName: string; requestId?: string };

/** The caller who may revoke. @throws DomainError UNAUTHENTICATED, FORBIDDEN. */
export function callerOf(caller: Caller, operation: PartnerOperation): RevocationCaller {
  const { requestId } = caller as { requestId?: string };
  const request = requestId === undefined ? {} : { requestId };
  if (caller.kind === 'operator') {
    requireOperator(caller, 'all');
    return { kind: 'operator', keyName: caller.keyName, ...request };
  }
  const { partnerId, kid } = requirePartner(caller, operation);
  return { kind: 'partner', partnerId, kid, ...request };
}

/** One text for one owner. */
export function ownerText(caller: RevocationCaller): string {
  return caller.kind === 'partner' ? `partner ${caller.partnerId}` : `operator ${caller.keyName}`;
}

/** The caller as the audit log writes it. */
export function auditCaller(caller: RevocationCaller): Caller {
  if (caller.kind === 'operator') return { ...caller, role: 'all' };
  return { ...partnerWithoutToken(caller.partnerId), ...caller };
}
