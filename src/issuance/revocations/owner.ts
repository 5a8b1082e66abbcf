// The owner of a preview and its job: a partner, or one operator key.
import {
  type Caller,
  type OperatorCaller,
  type PartnerCaller,
  partnerWithoutToken,
} from '../../base/callers/caller.js';

/** The caller, as in the audit log. */
export type RevocationCaller =
  | { kind: 'partner'; partnerId: string; kid: string | null; requestId?: string }
  | { kind: 'operator'; keyName: string; requestId?: string };

/** The caller without its rights. */
export function callerOf(caller: PartnerCaller | OperatorCaller): RevocationCaller {
  const { requestId } = caller;
  const request = requestId === undefined ? {} : { requestId };
  if (caller.kind === 'operator') return { kind: 'operator', keyName: caller.keyName, ...request };
  return { kind: 'partner', partnerId: caller.partnerId, kid: caller.kid, ...request };
}

/** One text per owner, the same for all its requests. */
export function ownerText(caller: RevocationCaller): string {
  return caller.kind === 'partner' ? `partner ${caller.partnerId}` : `operator ${caller.keyName}`;
}

/** The caller as the audit log writes it. */
export function auditCaller(caller: RevocationCaller): Caller {
  if (caller.kind === 'operator') return { ...caller, role: 'all' };
  return { ...partnerWithoutToken(caller.partnerId), ...caller };
}
