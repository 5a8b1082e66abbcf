// Issuer-hosted credentials (contract §6): asks issuers which credentials a holder can get, and to issue one; they store it through dstorage/vcs.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { HolderCaller } from '../base/callers/caller.js';
import type { Charge } from '../base/callers/points.js';
import { DomainError } from '../base/errors.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import type { Holders } from '../holders/holders.service.js';
import type { SecondFactor } from '../holders/second-factor.service.js';
import type { GuardedResponse } from '../http/outbound/guarded-fetch.js';
import { beforeDeadline } from '../http/server/deadline.js';
import type { P256Jwk } from '../keys/public-jwk.js';
import type { CakKeys } from './cak/cak.js';
import type { CakPlace } from './cak/types.js';
import type { HostedRequest } from './inputs.js';
import { BUSY, type IssuerCalls, issuerUnavailable, jsonOf, MAX_BYTES, RETRY_AFTER, uuidOf } from './issuer-calls.js';
import type { IssuerLoad } from './issuer-load.js';
import type { AvailableCredential, AvailableCredentials } from './types.js';

/** The facts about a holder that are sent to an issuer. */
interface HolderFacts {
  holderDID: string;
  pubKey: string;
  userId: string;
  signingKey?: { jwk: P256Jwk };
}

/** A holder's request to issuers: the caller, its charge, the facts that issuers get, and a schema. */
interface Asking {
  caller: HolderCaller;
  charge: Charge;
  facts: HolderFacts;
  schemaId: string | undefined;
}

export interface IssuerHostedOptions {
  catalog: IssuingCatalog;
  holders: Holders;
  load: IssuerLoad;
  calls: IssuerCalls;
  cakKeys: Pick<CakKeys, 'row'>;
  secondFactor: Pick<SecondFactor, 'require'>;
}

/**
 * How many issuers are called if the request names none, and how long they may take, milliseconds: slower ones are
 * reported as unavailable.
 */
const MAX_ISSUERS = 20;
const LIST_WAIT_MS = 3_000;

const text = (max: number) => z.string().min(1).max(max);
const preview = z.object({
  holderDID: text(200),
  schemaId: text(500),
  credentialSubject: z.object({
    encryptedData: text(MAX_BYTES),
    iv: text(64),
    authTag: text(64),
    dataEncPublicKey: text(512),
  }),
  proofType: text(50).nullish(),
});
const previews = z.object({ data: z.array(preview).max(1_000) });

/** Credentials that issuers issue on their own back ends. */
export class IssuerHosted {
  constructor(private readonly options: IssuerHostedOptions) {}

  /**
   * Credentials that issuers offer to the holder: one issuer's, or those of all. The holder pays points for each issuer that is called.
   * @throws DomainError NOT_FOUND (issuerId), RATE_LIMITED.
   */
  async available(
    caller: HolderCaller,
    { issuerId, schemaId }: { issuerId?: string; schemaId?: string },
  ): Promise<AvailableCredentials> {
    const [issuers, facts] = await Promise.all([this.#offering(issuerId), this.#holderFacts(caller)]);
    const charge = this.options.load.admit(caller, issuers.length);
    const asked = issuers.map((issuer) => this.#previews({ caller, charge, facts, schemaId }, issuer));
    const answers = await Promise.allSettled(
      issuerId === undefined ? asked.map((previews) => beforeDeadline(previews, LIST_WAIT_MS)) : asked,
    );
    const items = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const unavailable = issuers.filter((_, at) => answers[at]?.status === 'rejected').map(({ _id }) => _id);
    return { items, unavailable };
  }

  /**
   * Asks the issuer to issue a credential. The issuer stores it by itself, which causes a `stored` event. A repeated
   * request with the same `key` reaches the issuer with the same idempotency-key, whether or not the first one
   * succeeded.
   * @throws DomainError NOT_FOUND (issuerId, schemaId), CONFLICT when the issuer refuses, STORE_UNAVAILABLE when it
   * fails or does not respond, RATE_LIMITED, MFA_REQUIRED for a CAK that is not registered, from who could not register it.
   */
  async issue(caller: HolderCaller, request: HostedRequest, key?: string): Promise<{ requestId: string }> {
    const { issuerId, schemaId, proofType, cakPublicKey } = request;
    const issuer = await this.#issuer(issuerId, 'issueVcUrl');
    if (!(await this.options.catalog.isSchemaPublished(schemaId)))
      throw new DomainError('NOT_FOUND', 'No schema has this schemaId.', { field: 'schemaId' });
    if (cakPublicKey !== undefined) await this.#requireOwnCak(caller, cakPublicKey, { issuerId, schemaId });
    const requestId =
      key === undefined
        ? randomUUID()
        : uuidOf([
            caller.holderId,
            key,
            issuerId,
            schemaId,
            proofType ?? null,
            ...(cakPublicKey ? [cakPublicKey] : []),
          ]);
    const facts = await this.#holderFacts(caller);
    const body = { ...facts, schemaId, ...(proofType && { proofType }), ...(cakPublicKey && { cakPublicKey }) };
    const charge = this.options.load.admit(caller, 1);
    const answer = await this.options.calls.call(issuer, {
      caller,
      charge,
      url: issuer.issueVcUrl ?? '',
      key: requestId,
      body,
    });
    if (answer.status >= 400) throw refusedBy(answer);
    return { requestId };
  }

  /** The issuer takes the key for the holder's: one that a session could not register, it may not give the issuer either. */
  async #requireOwnCak(caller: HolderCaller, publicKey: string, place: CakPlace): Promise<void> {
    const { cakKeys, secondFactor } = this.options;
    const row = await cakKeys.row(caller.holderId, place);
    if (row?.publicKey !== publicKey.toLowerCase()) await secondFactor.require(caller, 'registerCak');
  }

  async #offering(issuerId: string | undefined): Promise<IssuerRow[]> {
    if (issuerId === undefined) return this.options.catalog.issuersOffering(MAX_ISSUERS);
    return [await this.#issuer(issuerId, 'availableVcUrl')];
  }

  async #issuer(issuerId: string, url: 'availableVcUrl' | 'issueVcUrl'): Promise<IssuerRow> {
    const issuer = await this.options.catalog.issuer(issuerId);
    if (!issuer?.live || !issuer[url])
      throw new DomainError('NOT_FOUND', 'No issuer with this issuerId has endpoints of its own.', {
        field: 'issuerId',
      });
    return issuer;
  }

  async #holderFacts(caller: HolderCaller): Promise<HolderFacts> {
    const { holderId, partnerId } = caller;
    const { holders } = this.options;
    const recipient = await holders.recipientById(holderId, caller);
    if (!recipient) throw new DomainError('NOT_FOUND', 'There is no such holder, or it was erased.');
    const [own, jwk] = await Promise.all([
      partnerId === undefined ? undefined : holders.partnerUserIdOf(holderId, partnerId),
      holders.signingKeyOf(holderId),
    ]);
    const facts = { holderDID: recipient.did, pubKey: recipient.publicKey, userId: own ?? holderId };
    return jwk === undefined ? facts : { ...facts, signingKey: { jwk } };
  }

  async #previews({ caller, charge, facts, schemaId }: Asking, issuer: IssuerRow): Promise<AvailableCredential[]> {
    const body = { ...facts, ...(schemaId === undefined ? {} : { schemaId }) };
    const url = issuer.availableVcUrl ?? '';
    const answer = await this.options.calls.call(issuer, { caller, charge, url, key: randomUUID(), body });
    if (answer.status >= 400) throw issuerUnavailable(issuer, `answered HTTP ${answer.status}`);
    const parsed = previews.safeParse(jsonOf(answer));
    if (!parsed.success) throw issuerUnavailable(issuer, "answered in a form that is not the contract's");
    // Entries of an issuer's response about other holders are ignored.
    const own = parsed.data.data.filter(
      (item) => item.holderDID === facts.holderDID && (schemaId === undefined || item.schemaId === schemaId),
    );
    return own.map((item) => ({
      issuerId: issuer._id,
      schemaId: item.schemaId,
      proofType: item.proofType ?? null,
      credentialSubject: item.credentialSubject,
    }));
  }
}

function refusedBy({ status }: GuardedResponse): DomainError {
  const data = BUSY.includes(status) ? { retryAfter: RETRY_AFTER } : {};
  return new DomainError('CONFLICT', `The issuer refused to issue (HTTP ${status}).`, data);
}
