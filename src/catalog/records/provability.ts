// What can be proven of a program with the credentials that it accepts, and why the rest cannot (contract §13).
import { type Condition, type Family, familyOf, unprovableOf } from '../../conditions/index.js';
import { MAX_POINTS } from '../../zk/index.js';
import type { DataPoint, IssuerRow, StoredCondition } from '../rows/rows.js';
import type { UnprovableCondition } from './types.js';

/** A credential that a program accepts, with the facts on which its provability depends. */
export interface Acceptance {
  credentialId: string;
  verificationConditions: readonly string[];
  /** Null if they are stored unparsed. */
  conditions: readonly StoredCondition[] | null;
  dataPoints: readonly Pick<DataPoint, 'name' | 'type'>[];
  /** As in the credential's record. Null: provable unless its schema has too many data points. */
  provable: boolean | null;
  /** Whether its issuer has keys for provable signatures. */
  hasKeys: boolean;
}

/** Families of a schema version's fields. */
export function familiesOf(points: readonly Pick<DataPoint, 'name' | 'type'>[]): (field: string) => Family | undefined {
  const families = new Map(points.map(({ name, type }) => [name, familyOf(type)]));
  return (field) => families.get(field);
}

/** Whether an issuer has keys for provable signatures. Managed issuers get theirs with their first credential. */
export function hasZkKeys({ managed, zkKeys = [] }: Pick<IssuerRow, 'managed' | 'zkKeys'>): boolean {
  return managed || zkKeys.some(({ withdrawnAt }) => withdrawnAt === null);
}

/** What cannot be proven of one accepted credential; empty if all its conditions can. @param now ms since 1970 UTC */
export function unprovableConditions(acceptance: Acceptance, now: number): UnprovableCondition[] {
  const { credentialId, verificationConditions, conditions, dataPoints, provable, hasKeys } = acceptance;
  const whole = (why: UnprovableCondition['why']) => [{ credentialId, condition: null, why }];
  if (provable === false) return whole('off');
  if (dataPoints.length > MAX_POINTS) return whole('points');
  if (!hasKeys) return whole('keys');
  if (conditions === null)
    return verificationConditions.map((condition) => ({ credentialId, condition, why: 'unparsed' as const }));
  const parsed = conditions as readonly Condition[];
  return unprovableOf(parsed, familiesOf(dataPoints), now).map((each) => ({ credentialId, ...each }));
}

export interface Provability {
  /** Whether any accepted credential can be proven. */
  provable: boolean;
  unprovable: UnprovableCondition[];
}

/** What can be proven of a program, over all credentials that it accepts. */
export function provabilityOf(acceptances: readonly Acceptance[], now: number): Provability {
  const each = acceptances.map((acceptance) => unprovableConditions(acceptance, now));
  return { provable: each.some((faults) => faults.length === 0), unprovable: each.flat() };
}
