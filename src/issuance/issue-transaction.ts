// The transaction of an issuance: issuance, ciphertext, first holdings, quota and events are written together.
import type { ClientSession, Connection } from 'mongoose';
import type { Caller } from '../base/callers/caller.js';
import { enforce } from '../base/callers/rules.js';
import { DomainError } from '../base/errors.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { StoredCredentialRow } from '../storage/models.js';
import { type StorageService, storagePath } from '../storage/storage.service.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import type { AppendEvents, NewEvent } from '../store/event-port.js';
import { MAXIMUM_RULES } from './admission.js';
import type { EndedCounts } from './ended-counts.js';
import type { InstanceRow, IssuanceModels, IssuanceRow } from './models.js';
import { type DuplicateTerms, resolveDuplicate } from './on-duplicate.js';
import { type IssuedCredential, issuedOf } from './types.js';

export interface TransactionParts {
  connection: Connection;
  models: IssuanceModels;
  storage: StorageService;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  endedCounts: EndedCounts;
  clock(): number;
}

/** Rows that are ready to be written: an issuance, and its signed and encrypted package if it is stored here. */
export interface PreparedIssuance {
  issuance: IssuanceRow;
  stored?: StoredCredentialRow;
}

/** Whose issuance it is, and until when. */
export type Ownership = Pick<StoredCredentialRow, 'partnerId' | 'holderId' | 'holderDid' | 'schemaId' | 'expiresAt'>;

/**
 * Members that only one issuance has. One that its issuer signed has `direct`, all others an index in a status list.
 */
type OwnFacts = Pick<IssuanceRow, '_id' | 'schemaVersion' | 'coreClaimHash' | 'revocationNonce'> &
  Partial<Pick<IssuanceRow, 'direct' | 'statusListId' | 'statusListIndex'>>;

/** A new issuance. @param storedId of its package; null if there is none */
export function newIssuance(
  { partnerId, holderId, holderDid, schemaId, expiresAt }: Ownership,
  { issuer, credential, now }: { issuer: IssuerRow; credential: CredentialRow; now: Date },
  { storedId, ...facts }: OwnFacts & Pick<IssuanceRow, 'storedId'>,
): IssuanceRow {
  return {
    ...facts,
    partnerId,
    issuerId: issuer._id,
    issuerDid: issuer.issuerDid,
    holderId,
    holderDid,
    credentialId: credential._id,
    schemaId,
    storedId,
    createdAt: now,
    expiresAt,
    revokedAt: null,
    expiredAt: null,
    anchoredAt: null,
    removedAt: null,
    live: true,
    toAnchor: now,
    ...(expiresAt === null ? {} : { expiryDue: expiresAt }),
  };
}

/** What a caller also writes in the transaction of an issuance: the response, for repeated requests. */
export interface Beside {
  /** The row of a batch that is issued. */
  row?: { jobId: string; rowKey: string };
  record(answer: IssuedCredential, session: ClientSession): Promise<void>;
}

interface Terms extends DuplicateTerms {
  credential: CredentialRow;
  caller: Caller;
  beside?: Beside;
  /** Copies of a new issuance in a wallet. */
  instances?: InstanceRow[];
}

/** Writes a prepared issuance, or returns the existing live one (`ignore`). @throws DomainError CONFLICT at the maximum. */
export async function commitIssuance(
  parts: TransactionParts,
  prepared: PreparedIssuance,
  terms: Terms,
): Promise<IssuedCredential> {
  const commit = (looks: boolean): Promise<IssuedCredential> =>
    parts.connection.transaction((session) => write(parts, prepared, { ...terms, looks }, session), SNAPSHOT);
  // Few holders have a live issuance of the credential, and a unique index refuses another one. A row of a batch, or a maximum, must know before.
  const looks = terms.beside?.row !== undefined || terms.credential.maximumIssuance !== null;
  const issued = await commit(looks).catch((error: unknown) => {
    if (looks || !isDuplicateKey(error)) throw error;
    return commit(true);
  });
  const isNew = issued.coreClaimHash === prepared.issuance.coreClaimHash;
  if (isNew && terms.credential.maximumIssuance === null) parts.endedCounts.add(terms.credential, terms.now);
  return issued;
}

async function write(
  parts: TransactionParts,
  { issuance, stored }: PreparedIssuance,
  terms: Terms & { looks: boolean },
  session: ClientSession,
): Promise<IssuedCredential> {
  const { models, storage, appendEvents, recordWrites, endedCounts } = parts;
  const { caller, credential, beside, instances, looks } = terms;
  const { existing, revoked } = looks ? await resolveDuplicate(models, issuance, terms, session) : { revoked: [] };
  if (existing) {
    // What a wallet is to get may differ from what the live credential says, which only its holder can read.
    if (instances) throw new DomainError('CONFLICT', 'The holder has a live credential of this kind.');
    await beside?.record(issuedOf(existing), session);
    return issuedOf(existing);
  }
  if (!endedCounts.has(credential)) await countIssuance(models, credential, session);
  // Recorded before the issuance is inserted: if two workers process one row, the second one finds the result of the
  // first instead of a duplicate key.
  await beside?.record(issuedOf(issuance), session);
  const written = { ...issuance, ...beside?.row, ...(instances === undefined ? {} : { instances }) };
  await native(models.issuances).insertOne(written, { session });
  if (stored) await storage.insertIssued(stored, session);
  const firsts = await markFirsts(models, issuance, session);
  await appendEvents([...revoked, ...eventsOf(issuance, firsts)], session);
  // The audit entry of a batch is `batch.create`; its rows get no entries of their own.
  if (!beside?.row) await recordWrites(caller, [issueEntry(issuance, revoked)], session);
  return issuedOf(issuance);
}

function issueEntry(issuance: IssuanceRow, revoked: readonly NewEvent[]): NewAuditEntry {
  const replaced = revoked.map(({ payload }) => payload.coreClaimHash);
  const after = { ...issuance, ...(replaced.length > 0 ? { replaced } : {}) };
  return { operation: 'issuance.issue', subject: issuance.coreClaimHash, outcome: 'issued', after };
}

interface Firsts {
  firstOfCredential: boolean;
  firstOfIssuer: boolean;
}

/**
 * Stores first holdings. An upsert shows whether the holder is new, and cannot abort the transaction with a duplicate
 * key.
 */
async function markFirsts(
  { firstHoldings }: IssuanceModels,
  { credentialId, issuerId, holderId, createdAt }: IssuanceRow,
  session: ClientSession,
): Promise<Firsts> {
  const scopes = [
    ['credential', credentialId],
    ['issuer', issuerId],
  ] as const;
  const writes = scopes.map(([scope, of]) => ({
    updateOne: {
      filter: { _id: `${scope} ${of} ${holderId}` },
      update: { $setOnInsert: { scope, of, holderId, at: createdAt } },
      upsert: true,
    },
  }));
  const { upsertedIds } = await native(firstHoldings).bulkWrite(writes, { session });
  return { firstOfCredential: 0 in upsertedIds, firstOfIssuer: 1 in upsertedIds };
}

/**
 * Counts an issuance of a limited credential. Only such issuances share a row. If the credential has no maximum, its
 * count is deleted, and the next maximum begins a new one.
 */
async function countIssuance(
  { quotas, issuances }: IssuanceModels,
  { _id, maximumIssuance }: CredentialRow,
  session: ClientSession,
): Promise<void> {
  if (maximumIssuance === null) {
    await quotas.deleteOne({ _id }, { session });
    return;
  }
  const quota = await quotas.findById(_id, null, { session }).lean();
  // The limit may have been set after the first issuances.
  const issued = quota?.issued ?? (await issuances.countDocuments({ credentialId: _id }, { session }));
  enforce(MAXIMUM_RULES, { maximum: maximumIssuance, issued });
  await quotas.updateOne({ _id }, { $set: { issued: issued + 1 } }, { session, upsert: true });
}

function eventsOf(issuance: IssuanceRow, firsts: Firsts): NewEvent[] {
  const { partnerId, holderId, coreClaimHash, credentialId, issuerId, schemaId, storedId } = issuance;
  const viewers = { partnerId, holderId };
  const ids = { coreClaimHash, credentialId, issuerId, schemaId };
  const submitted: NewEvent = { type: 'submitted', viewers, payload: { ...ids, ...firsts } };
  if (storedId === null) return [submitted];
  return [submitted, { type: 'stored', viewers, payload: { ...ids, storagePath: storagePath(storedId) } }];
}
