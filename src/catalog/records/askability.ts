// What wallets of others can be asked of a program, and why the rest cannot (OpenID4VP).
import { type AskedField, askedOf, type Condition } from '../../conditions/index.js';
import { reservedName } from '../json-schema/claim-names.service.js';
import type { DerivedClaim, IssuerRow } from '../rows/rows.js';
import { type Acceptance, familiesOf } from './provability.js';
import type { UnaskableCondition, WalletTrust } from './types.js';

/** A credential that a program accepts, with the facts on which its queries depend. */
export interface WalletAcceptance
  extends Pick<Acceptance, 'credentialId' | 'verificationConditions' | 'conditions' | 'dataPoints'> {
  derived: readonly DerivedClaim[];
  /** Whether it has a type of its own. */
  hasVct: boolean;
  trust: WalletTrust;
}

/** Whose signatures on presented credentials count for an issuer. */
export function walletTrustOf({
  managed,
  anchors,
  walletIssuer,
}: Pick<IssuerRow, 'managed' | 'anchors' | 'walletIssuer'>): WalletTrust {
  if (managed) return 'managed';
  return anchors === undefined && walletIssuer === undefined ? 'none' : 'registered';
}

export interface Askability {
  /** Whether wallets can be asked for any accepted credential. */
  askable: boolean;
  unaskable: UnaskableCondition[];
}

/**
 * What wallets can be asked of a program, over all credentials that it accepts.
 * @param disclose whether values may be asked for that the conditions do not state
 * @param now ms since 1970 UTC
 */
export function askabilityOf(acceptances: readonly WalletAcceptance[], disclose: boolean, now: number): Askability {
  const each = acceptances.map((acceptance) => askedFields(acceptance, disclose, now));
  return { askable: each.some(({ fields }) => fields), unaskable: each.flatMap(({ unaskable = [] }) => unaskable) };
}

/** What wallets are asked of one credential; or, if they cannot be asked, why. Parameters as of `askabilityOf`. */
export function askedFields(
  { credentialId, verificationConditions, conditions, dataPoints, derived, hasVct, trust }: WalletAcceptance,
  disclose: boolean,
  now: number,
): { fields?: AskedField[]; unaskable?: UnaskableCondition[] } {
  const whole = (why: string) => ({ unaskable: [{ credentialId, condition: null, why }] });
  if (trust === 'none') return whole('keys');
  if (trust === 'registered' && !hasVct) return whole('vct');
  if (trust === 'managed' && reservedName(dataPoints.map(({ name }) => name)) !== undefined) return whole('form');
  if (conditions === null)
    return { unaskable: verificationConditions.map((condition) => ({ credentialId, condition, why: 'unparsed' })) };
  const parsed = conditions as readonly Condition[];
  const asked = askedOf({ conditions: parsed, families: familiesOf(dataPoints), derived, disclose }, now);
  if (asked.unaskable.length === 0) return { fields: asked.fields };
  return { unaskable: asked.unaskable.map((fault) => ({ credentialId, ...fault })) };
}
