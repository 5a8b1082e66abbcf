// Partners for the operator (contract §7): put, get, list and retire, by the same conventions as the catalog.
import { createHash } from 'node:crypto';
import { handleWhenResult } from 'cockatiel';
import type { ClientSession } from 'mongoose';
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { DELAYS, retrying } from '../base/concurrency/retry.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { badInput, DomainError } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import { requireOperator } from '../base/callers/rights.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import { newestFirst } from '../graphql/shapes/newest-first.js';
import type { PageOf } from '../graphql/shapes/relay.js';
import { checkOutboundUrl, OutboundRefused } from '../http/outbound/outbound-address.js';
import { checkMatch, type Precondition } from '../http/requests/preconditions.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import type { PartnerDirectory } from './directory.service.js';
import type { PartnerModels, PartnerRow } from './models.js';
import { type PartnerBody, partnerBody, partnerUuid } from './partner-inputs.js';
import { type Partner, type PartnerPut, partnerView } from './types.js';

export interface PartnerAdminOptions {
  models: PartnerModels;
  directory: PartnerDirectory;
  /** The sandbox allows a jwksUri at http on loopback. */
  sandbox: boolean;
  recordWrites: RecordWrites;
  now(): Date;
}

/** The largest page × limit (contract §7). */
const MAX_REACH = 10_000;
/** Retries a write while others change the same record. */
const CONTENDED = retrying(
  DELAYS.duplicateKey,
  handleWhenResult((result) => result === undefined),
);

/** Partner writes; every call needs the operator. */
export class PartnerAdmin {
  constructor(private readonly options: PartnerAdminOptions) {}

  /**
   * Creates or replaces a partner; the same body again changes nothing.
   * @throws DomainError FORBIDDEN, BAD_USER_INPUT (naming the first invalid field), PRECONDITION_FAILED.
   */
  async put(caller: Caller, id: string, body: unknown, precondition: Precondition = {}): Promise<PartnerPut> {
    requireOperator(caller, 'all');
    const { id: partnerId } = parseInput(z.object({ id: partnerUuid }), { id });
    const content = parseInput(partnerBody, body);
    checkKeys(content, this.options.sandbox);
    return this.#contended(() => this.#write(caller, partnerId, content, precondition));
  }

  /** A live partner's record, for the operator and for the partner itself. @throws DomainError FORBIDDEN, NOT_FOUND. */
  async get(caller: Caller, id: string): Promise<Partner> {
    const isOwn = caller.kind === 'partner' && caller.partnerId === id.toLowerCase();
    if (!isOwn) requireOperator(caller, 'read');
    const record = partnerView(await this.#live(id));
    // Only the operator learns why a fetch failed, because that may reveal what is behind the address.
    return isOwn ? { ...record, keySetProblem: null } : record;
  }

  /** Live partners, newest first. `page` is 1-based. @throws DomainError FORBIDDEN, BAD_USER_INPUT for a page that is too far. */
  async list(caller: Caller, { page, limit }: { page: number; limit: number }) {
    requireOperator(caller, 'read');
    if (page * limit > MAX_REACH) throw badInput(`page × limit reaches beyond ${MAX_REACH} entries.`, 'page');
    const { partners } = this.options.models;
    const rows = await partners
      .find({ live: true })
      .sort({ createdAt: -1, _id: -1 })
      .skip((page - 1) * limit)
      .limit(limit)
      .lean<PartnerRow[]>();
    return {
      data: rows.map(partnerView),
      pagination: { page, limit, total: await partners.countDocuments({ live: true }) },
    };
  }

  /** A page of live partners by cursor, newest first. @throws DomainError FORBIDDEN, BAD_USER_INPUT (`after`). */
  async page(caller: Caller, page: { limit: number; after?: string | undefined }): Promise<PageOf<Partner>> {
    requireOperator(caller, 'read');
    const show = (rows: PartnerRow[]) => rows.map(partnerView);
    return newestFirst({ model: this.options.models.partners, filter: { live: true }, ...page, show });
  }

  /** Retires a partner: its tokens are refused from now on. @throws DomainError FORBIDDEN, NOT_FOUND, PRECONDITION_FAILED. */
  async retire(caller: Caller, id: string, { ifMatch }: { ifMatch?: string | undefined } = {}): Promise<void> {
    requireOperator(caller, 'all');
    await this.#contended(async () => {
      const before = await this.#live(id);
      checkMatch({ ifMatch }, before.etag, 'partner');
      return this.#replace(caller, before, { ...before, live: false, updatedAt: this.options.now() });
    });
  }

  async #live(id: string): Promise<PartnerRow> {
    const row = await this.options.models.partners.findOne({ _id: id.toLowerCase(), live: true }).lean<PartnerRow>();
    if (row === null) throw new DomainError('NOT_FOUND', `There is no partner ${id.slice(0, 100)}.`);
    return row;
  }

  async #write(
    caller: Caller,
    partnerId: string,
    body: PartnerBody,
    precondition: Precondition,
  ): Promise<PartnerPut | undefined> {
    const before = await this.options.models.partners.findById(partnerId).lean<PartnerRow>();
    checkMatch(precondition, before?.live ? before.etag : undefined, 'partner');
    const row = rowOf(partnerId, body, before, this.options.now());
    if (before?.live && before.etag === row.etag)
      return { partner: partnerView(before), result: 'unchanged', etag: row.etag };
    if (!(await (before === null ? this.#insert(caller, row) : this.#replace(caller, before, row)))) return undefined;
    return { partner: partnerView(row), result: before?.live ? 'updated' : 'created', etag: row.etag };
  }

  async #insert(caller: Caller, row: PartnerRow): Promise<true | undefined> {
    const write = async (session: ClientSession): Promise<true> => {
      await native(this.options.models.partners).insertOne(row, { session });
      await this.#record(caller, null, row, session);
      return true;
    };
    try {
      return await this.#transaction(row, write);
    } catch (error) {
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  }

  /** Replaces exactly the version that was read. Undefined when another process changed it first. */
  #replace(caller: Caller, before: PartnerRow, row: PartnerRow): Promise<true | undefined> {
    return this.#transaction(row, async (session) => {
      const { matchedCount } = await native(this.options.models.partners).replaceOne(
        { _id: before._id, version: before.version },
        { ...row, version: before.version + 1 },
        { session },
      );
      if (matchedCount === 0) return undefined;
      await this.#record(caller, before, row, session);
      return true;
    });
  }

  /** The cached record is dropped after the write, even if it failed. */
  async #transaction<T>({ _id }: PartnerRow, write: (session: ClientSession) => Promise<T>): Promise<T> {
    const { models, directory } = this.options;
    try {
      return await models.partners.db.transaction(write, MAJORITY);
    } finally {
      directory.invalidate(_id);
    }
  }

  #record(caller: Caller, before: PartnerRow | null, after: PartnerRow, session: ClientSession): Promise<void> {
    const subject = after._id;
    const written: Pick<NewAuditEntry, 'operation' | 'outcome'> = after.live
      ? { operation: 'partner.put', outcome: before?.live ? 'updated' : 'created' }
      : { operation: 'partner.retire', outcome: 'retired' };
    return this.options.recordWrites(caller, [{ ...written, subject, before, after }], session);
  }

  async #contended<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    const result = await CONTENDED.execute(attempt);
    if (result !== undefined) return result;
    throw new DomainError('CONFLICT', 'Others are changing this partner at the same time; try again.');
  }
}

function rowOf(_id: string, { gasPolicy, ...body }: PartnerBody, before: PartnerRow | null, now: Date): PartnerRow {
  const own = { ...body, jwksUri: body.jwksUri ?? null, jwks: body.jwks?.keys ?? null };
  // Omitted if there is none, so that etags of records without verifiers do not change.
  const content = { ...own, ...(gasPolicy == null ? {} : { gasPolicy }) };
  const hashed = Object.entries(content).filter(([field]) => field !== 'verifierIds' || body.verifierIds.length > 0);
  const etag = createHash('sha256')
    .update(JSON.stringify(hashed.sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('base64url')
    .slice(0, 22);
  const times = { createdAt: before?.createdAt ?? now, updatedAt: now };
  return { _id, ...content, live: true, version: (before?.version ?? 0) + 1, etag, ...times };
}

function checkKeys({ jwksUri, jwks }: PartnerBody, sandbox: boolean): void {
  if ((jwksUri == null) === (jwks == null)) throw badInput('"jwksUri" or jwks must be given, and not both.', 'jwksUri');
  if (jwksUri == null) return;
  try {
    checkOutboundUrl(jwksUri, { allowLoopback: sandbox });
  } catch (error) {
    if (error instanceof OutboundRefused) throw badInput(`jwksUri ${error.message}`, 'jwksUri');
    throw error;
  }
}
