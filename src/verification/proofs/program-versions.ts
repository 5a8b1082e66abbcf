// Pinned programs (contract §13): a verification refers to an immutable version, identified by the hash of everything that proofs depend on.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { LRUCache } from 'lru-cache';
import { ignoreDuplicate } from '../../base/mongodb/duplicate-key.js';
import type { ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import {
  type Condition,
  type Family,
  type FieldForm,
  familyOf,
  normalForm,
  unprovableOf,
} from '../../conditions/index.js';
import { CACHED_READ } from '../../base/mongodb/cached-read.js';
import { MAX_POINTS } from '../../zk/index.js';
import type { ProgramVersionRow, VerificationModels } from '../records/models.js';

/** A credential that a pinned program accepts. */
export interface PinnedCredential {
  credentialId: string;
  issuerDid: string;
  /** Null if they were stored unparsed. */
  conditions: Condition[] | null;
  families: [field: string, family: Family][];
}

/** The content that is hashed: programVersion is SHA-256 of its RFC 8785 form. */
interface VersionContent {
  programId: string;
  /** Sorted by credentialId. */
  accepted: PinnedCredential[];
  /** `disclose` is left out if it is false: versions without it are as they were before it existed. */
  options: { maxPerHolder: number | null; cak: boolean; disclose?: true };
}

export interface PinnedProgram extends VersionContent {
  programVersion: string;
  /** Issuers of the accepted credentials, in the same order. */
  issuerIds: string[];
}

const MAX_VERSIONS = 1_000;

/** Pins and finds programs. */
export class ProgramVersions {
  readonly #pinned = new LRUCache<string, PinnedProgram>({ max: MAX_VERSIONS });

  constructor(private readonly models: Pick<VerificationModels, 'programVersions'>) {}

  /** Stores the current version of a program permanently. */
  async pin(terms: ProgramTerms): Promise<PinnedProgram> {
    const program = pinnedOf(terms);
    const { programVersion: _id, issuerIds, ...content } = program;
    if (this.#pinned.has(_id)) return program;
    const row = { programId: content.programId, content: canonicalize(content) ?? '', issuerIds };
    const first = this.models.programVersions.updateOne({ _id }, { $setOnInsert: row }, { upsert: true });
    await first.catch(ignoreDuplicate);
    this.#pinned.set(_id, program);
    return program;
  }

  /** A pinned version, or undefined. */
  async find(programVersion: string): Promise<PinnedProgram | undefined> {
    const pinned = this.#pinned.get(programVersion);
    if (pinned) return pinned;
    const row = await this.models.programVersions.findById(programVersion, null, CACHED_READ).lean<ProgramVersionRow>();
    if (row === null) return undefined;
    const { _id, content, issuerIds } = row;
    const program = { ...(JSON.parse(content) as VersionContent), programVersion: _id, issuerIds };
    this.#pinned.set(_id, program);
    return program;
  }
}

/** A program with its version, without storing it. */
export function pinnedOf({ programId, accepted, maxPerHolder, cak, disclose }: ProgramTerms): PinnedProgram {
  const sorted = [...accepted].sort((a, b) => (a.credentialId < b.credentialId ? -1 : 1));
  const content: VersionContent = {
    programId,
    accepted: sorted.map(({ credentialId, issuerDid, conditions, families }) => ({
      credentialId,
      issuerDid,
      conditions,
      families,
    })),
    options: { maxPerHolder, cak, ...(disclose && { disclose: true as const }) },
  };
  const programVersion = createHash('sha256')
    .update(canonicalize(content) ?? '')
    .digest('hex');
  return { ...content, programVersion, issuerIds: sorted.map(({ issuerId }) => issuerId) };
}

/** The accepted credential with this id, and the id of its issuer. */
export function acceptedOf(
  { accepted, issuerIds }: PinnedProgram,
  credentialId: string,
): (PinnedCredential & { issuerId: string }) | undefined {
  const at = accepted.findIndex((each) => each.credentialId === credentialId);
  const [credential, issuerId] = [accepted[at], issuerIds[at]];
  return credential && issuerId !== undefined ? { ...credential, issuerId } : undefined;
}

/** The normal form of a credential's conditions; undefined when they cannot be proven. @param now ms since 1970 UTC */
export function formsOf({ conditions, families }: PinnedCredential, now: number): FieldForm[] | undefined {
  const byField = new Map(families);
  const family = (field: string) => byField.get(field);
  if (conditions === null || unprovableOf(conditions, family, now).length > 0) return undefined;
  return normalForm(conditions, family, now).forms;
}

/** The reason why claims of a schema version cannot prove a credential's conditions: missing fields. */
export function misfitOf(
  { families }: PinnedCredential,
  dataPoints: readonly { name: string; type: string }[],
): 'missing' | 'type' | 'points' | undefined {
  if (dataPoints.length > MAX_POINTS) return 'points';
  const types = new Map(dataPoints.map(({ name, type }) => [name, familyOf(type)]));
  if (families.some(([field]) => !types.has(field))) return 'missing';
  return families.some(([field, family]) => types.get(field) !== family) ? 'type' : undefined;
}
