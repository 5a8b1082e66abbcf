// The transaction of an issuance: issuance, ciphertext, first holdings, quota and events are written together.
import type { ClientSession, Connection } from 'mongoose';
import type { Caller } from '../base/callers/caller.js';
import { enforce } from '../base/callers/rules.js';
import { DomainError } from '../base/errors.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../base/mongodb/majority.js';
import { insertRows, native } from '../base/mongodb/native.js';
import type { CredentialRow, IssuerRow } from '../catalog/rows/models.js';
import type { StoredCredentialRow } from '../storage/models.js';
import { type StorageService, storagePath } from '../storage/storage.service.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import type { AppendEvents, NewEvent } from '../store/event-port.js';
import { JoinedWrites } from '../store/joined-writes.js';
import { MAXIMUM_RULES } from './admission.js';
import { type EndedCounts, isSettled } from './ended-counts.js';
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

/** A prepared issuance with its terms. */
interface Issuing {
  prepared: PreparedIssuance;
  terms: Terms;
}

/** Writes prepared issuances. Those that come while others are being written share a transaction. */
export class IssuanceCommits {
  readonly #joined: JoinedWrites<Issuing, IssuedCredential>;

  constructor(private readonly parts: TransactionParts) {
    this.#joined = new JoinedWrites({
      keyOf: ({ prepared }) => prepared.issuance.holderId,
      together: (issuings) => this.#together(issuings),
      // What was refused together is most often a second issuance to a holder with a live one.
      alone: (issuing) => this.#alone(issuing, true),
    });
  }

  /** Writes one, or returns the existing live one (`ignore`). @throws DomainError CONFLICT at the maximum. */
  async commit(prepared: PreparedIssuance, terms: Terms): Promise<IssuedCredential> {
    const issuing = { prepared, terms };
    const isPlain = !looksFirst(terms) && terms.instances === undefined;
    const issued = await (isPlain ? this.#joined.do(issuing) : this.#alone(issuing, looksFirst(terms)));
    const isNew = issued.coreClaimHash === prepared.issuance.coreClaimHash;
    if (isNew && terms.credential.maximumIssuance === null) this.parts.endedCounts.add(terms.credential, terms.now);
    return issued;
  }

  #together(issuings: readonly Issuing[]): Promise<IssuedCredential[]> {
    let attempts = 0;
    return this.parts.connection.transaction(async (session) => {
      attempts += 1;
      if (attempts > 1) throw new Error('one of these issuances conflicts with another transaction');
      const news = issuings.map((issuing) => ({ ...issuing, revoked: [] }));
      await insert(this.parts, news, session);
      return issuings.map(({ prepared }) => issuedOf(prepared.issuance));
    }, SNAPSHOT);
  }

  /** @param looks whether it looks for a live issuance at once, or only after a duplicate key */
  async #alone(issuing: Issuing, looks: boolean): Promise<IssuedCredential> {
    const { connection } = this.parts;
    const commit = (looking: boolean): Promise<IssuedCredential> =>
      connection.transaction((session) => write(this.parts, issuing, looking, session), SNAPSHOT);
    return commit(looks).catch((error: unknown) => {
      if (looks || !isDuplicateKey(error)) throw error;
      return commit(true);
    });
  }
}

/** Few holders have a live issuance of the credential, and a unique index refuses another one. A row of a batch, or a maximum, must know before. */
const looksFirst = ({ beside, credential }: Terms): boolean =>
  beside?.row !== undefined || credential.maximumIssuance !== null;

async function write(
  parts: TransactionParts,
  { prepared, terms }: Issuing,
  looks: boolean,
  session: ClientSession,
): Promise<IssuedCredential> {
  const { issuance } = prepared;
  const { existing, revoked } = looks
    ? await resolveDuplicate(parts.models, issuance, terms, session)
    : { revoked: [] };
  if (existing) {
    // What a wallet is to get may differ from what the live credential says, which only its holder can read.
    if (terms.instances) throw new DomainError('CONFLICT', 'The holder has a live credential of this kind.');
    await terms.beside?.record(issuedOf(existing), session);
    return issuedOf(existing);
  }
  await insert(parts, [{ prepared, terms, revoked }], session);
  return issuedOf(issuance);
}

/** An issuance to insert, and the events of the one that it replaces. */
interface NewIssuance extends Issuing {
  revoked: readonly NewEvent[];
}

async function insert(parts: TransactionParts, news: readonly NewIssuance[], session: ClientSession): Promise<void> {
  const { models, storage, appendEvents, recordWrites } = parts;
  await countIssuances(
    parts,
    news.map(({ terms }) => terms.credential),
    session,
  );
  // Recorded before the issuance is inserted: if two workers process one row, the second one finds the result of the
  // first instead of a duplicate key.
  for (const { prepared, terms } of news) await terms.beside?.record(issuedOf(prepared.issuance), session);
  await insertRows(models.issuances, news.map(rowOf), session);
  await storage.insertIssued(
    news.flatMap(({ prepared }) => prepared.stored ?? []),
    session,
  );
  const firsts = await markFirsts(
    models,
    news.map(({ prepared }) => prepared.issuance),
    session,
  );
  const events = news.flatMap(({ prepared, revoked }, at) => [...revoked, ...eventsOf(prepared.issuance, firsts(at))]);
  await appendEvents(events, session);
  // The audit entry of a batch is `batch.create`; its rows get no entries of their own.
  const audited = news.filter(({ terms }) => !terms.beside?.row);
  const [first] = audited;
  if (first) await recordWrites(first.terms.caller, audited.map(issueEntry), session);
}

const rowOf = ({ prepared: { issuance }, terms: { beside, instances } }: Issuing): IssuanceRow => ({
  ...issuance,
  ...beside?.row,
  ...(instances === undefined ? {} : { instances }),
});

function issueEntry({ prepared: { issuance }, terms: { caller }, revoked }: NewIssuance): NewAuditEntry {
  const replaced = revoked.map(({ payload }) => payload.coreClaimHash);
  const after = { ...issuance, ...(replaced.length > 0 ? { replaced } : {}) };
  return { operation: 'issuance.issue', subject: issuance.coreClaimHash, outcome: 'issued', after, caller };
}

interface Firsts {
  firstOfCredential: boolean;
  firstOfIssuer: boolean;
}

/**
 * Stores first holdings, and returns which are. An upsert shows whether the holder is new, and cannot abort the transaction with a
 * duplicate key.
 */
async function markFirsts(
  { firstHoldings }: IssuanceModels,
  issuances: readonly IssuanceRow[],
  session: ClientSession,
): Promise<(at: number) => Firsts> {
  const writes = issuances.flatMap(({ credentialId, issuerId, holderId, createdAt }) =>
    [['credential', credentialId] as const, ['issuer', issuerId] as const].map(([scope, of]) => ({
      updateOne: {
        filter: { _id: `${scope} ${of} ${holderId}` },
        update: { $setOnInsert: { scope, of, holderId, at: createdAt } },
        upsert: true,
      },
    })),
  );
  const { upsertedIds } = await native(firstHoldings).bulkWrite(writes, { session });
  return (at) => ({ firstOfCredential: 2 * at in upsertedIds, firstOfIssuer: 2 * at + 1 in upsertedIds });
}

/**
 * Counts issuances of limited credentials. Only such issuances share a row. If a credential has no maximum, its count is
 * deleted, and the next maximum begins a new one.
 */
async function countIssuances(
  { models, endedCounts, clock }: TransactionParts,
  credentials: readonly CredentialRow[],
  session: ClientSession,
): Promise<void> {
  const counted = credentials.filter((credential) => !endedCounts.has(credential));
  const unlimited = counted.filter(({ maximumIssuance }) => maximumIssuance === null);
  const ends = [...new Set(unlimited.map(({ _id }) => _id))].map((_id) => ({ deleteOne: { filter: { _id } } }));
  if (ends.length > 0) await native(models.quotas).bulkWrite(ends, { session });
  for (const credential of counted) await countLimited(models, credential, new Date(clock()), session);
}

async function countLimited(
  { quotas, issuances }: IssuanceModels,
  credential: CredentialRow,
  now: Date,
  session: ClientSession,
): Promise<void> {
  const { _id, maximumIssuance } = credential;
  if (maximumIssuance === null) return;
  const quota = await quotas.findById(_id, null, { session }).lean();
  // The limit may have been set after the first issuances, and requests that read the credential before do not count themselves.
  const isWhole = quota !== null && isSettled(credential, now);
  const stored = isWhole
    ? 0
    : await issuances.countDocuments({ credentialId: _id }, { session, limit: maximumIssuance });
  const issued = Math.max(quota?.issued ?? 0, stored);
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
