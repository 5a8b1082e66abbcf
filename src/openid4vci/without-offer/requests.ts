// Requests without an offer (contract §35): the issuer answers for each, at once or later. Of a managed issuer the answer is issued here; credentials
// of others are checked and passed on.
import { calculateJwkThumbprint } from 'jose';
import type { ClientSession, Model } from 'mongoose';
import { partnerWithoutToken, type PartnerCaller } from '../../base/callers/caller.js';
import { DomainError, ERRORS, toDomainError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json/json-object.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { CredentialRow, IssuerRow } from '../../catalog/rows/models.js';
import { trustOf, type WalletIssuerKeys } from '../../certificates/issuer-keys.service.js';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { RouteAnswer } from '../../http/routes/route.js';
import type { IssuanceService } from '../../issuance/issuance.service.js';
import type { DirectIssuance, RecordClaim } from '../../issuance/direct.service.js';
import { type IssuerAnswer, type IssuerAnswers, issuerUnavailable } from '../../issuance/issuer-answers.service.js';
import type { WalletCopies, WalletKey } from '../../issuance/wallets/copies.service.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import { type Access, unknownToken } from '../access.js';
import type { Openid4vciModels } from '../models.js';
import { hashOf, newSecret, open, seal, unwrap } from '../secrets.js';
import { REFRESH_MS } from '../new-tokens.js';
import { REPEAT_MS } from '../repeated-grants.js';
import { checkedCredentials } from './checked-credentials.js';
import type { RequestedCredentialRow } from './models.js';

export interface RequestsWithoutOfferOptions {
  models: Pick<Openid4vciModels, 'walletTokens'>;
  requests: Model<RequestedCredentialRow>;
  catalog: IssuingCatalog;
  issuance: IssuanceService;
  direct: DirectIssuance;
  answers: IssuerAnswers;
  copies: WalletCopies;
  partners: PartnerDirectory;
  issuerKeys: WalletIssuerKeys;
  publicUrl: string;
  clock(): number;
}

/** A request, with the token by which it is made. */
export interface Asked extends Access {
  asked: RequestedCredentialRow;
}

/** An issuance, as its request has it. */
type Issued = Pick<RequestedCredentialRow, 'coreClaimHash' | 'partnerId' | 'sealedSubject'>;

/** Credentials for a wallet, and whether an issuance here counts them. */
interface Given {
  credentials: string[];
  isCounted: boolean;
}

const denied = (why: string, logged?: string): ProtocolError =>
  new ProtocolError('credential_request_denied', why, 400, undefined, logged);

const UNISSUED = { coreClaimHash: { $exists: false } };

const ended = (): ProtocolError => denied('The credential was revoked or has expired.');

/** A request is not any more as it was read: it was issued, or has ended. */
class RequestChanged extends Error {
  constructor(
    message: string,
    readonly logged = message,
  ) {
    super(message);
  }
}
const changed = (): RequestChanged => new RequestChanged('The request has ended.');

/** Serves requests without an offer. */
export class RequestsWithoutOffer {
  constructor(private readonly options: RequestsWithoutOfferOptions) {}

  /** The request that a token is for. @throws ProtocolError invalid_token. */
  async of(access: Access, issuerId: string): Promise<Asked> {
    const { requestId: _id } = access.row;
    const asked = _id && (await this.options.requests.findOne({ _id, issuerId }).lean<RequestedCredentialRow>());
    if (!asked || asked.expiresAt.getTime() <= this.options.clock()) throw unknownToken();
    return { ...access, asked };
  }

  /** Credentials for keys; 202 while the issuer needs time. @throws ProtocolError credential_request_denied; DomainError STORE_UNAVAILABLE. */
  async respond(issuer: IssuerRow, asked: Asked, keys: readonly WalletKey[]): Promise<RouteAnswer> {
    const answer = await this.#answer(issuer, asked, keys);
    if ('credentials' in answer) return issued(asked, answer);
    const transactionId = newSecret();
    await this.#wait(asked, transactionId, keys);
    return waiting(transactionId, answer.interval);
  }

  /** The response to a deferred request. @throws ProtocolError invalid_transaction_id, and as `respond`. */
  async deferred(issuer: IssuerRow, asked: Asked, transactionId: unknown): Promise<RouteAnswer> {
    const { requests, clock } = this.options;
    const { _id, transactionHash, transactionUntil, keys: jwks = [] } = asked.asked;
    if (typeof transactionId !== 'string' || hashOf(transactionId) !== transactionHash)
      throw new ProtocolError('invalid_transaction_id', 'This transaction_id was not given with the token.');
    if (transactionUntil && transactionUntil.getTime() <= clock())
      throw new ProtocolError('invalid_transaction_id', 'The credential of this transaction_id was given.');
    const keys = await Promise.all(jwks.map(async (jwk) => ({ jwk, thumbprint: await calculateJwkThumbprint(jwk) })));
    const answer = await this.#answer(issuer, asked, keys);
    if (!('credentials' in answer)) return waiting(transactionId, answer.interval);
    // A wallet whose response was lost asks again soon.
    const got = { $set: { transactionUntil: new Date(clock() + REPEAT_MS) } };
    await requests.updateOne({ _id, transactionHash, transactionUntil: { $exists: false } }, got);
    // Without notification_id: widespread wallets refuse deferred responses that have one (docs/decisions/0079).
    return { body: listed(answer) };
  }

  /** Stores what a deferred request needs. The token is good for such requests as long as the request waits. */
  async #wait({ row, asked }: Asked, transactionId: string, keys: readonly WalletKey[]): Promise<void> {
    const { models, requests } = this.options;
    const until = { expiresAt: asked.expiresAt, credentialUntil: row.credentialUntil ?? row.expiresAt };
    await models.walletTokens.updateOne({ _id: row._id }, { $set: until });
    const change = { transactionHash: hashOf(transactionId), keys: keys.map(({ jwk }) => jwk) };
    await requests.updateOne({ _id: asked._id }, { $set: change, $unset: { transactionUntil: 1 } });
  }

  async #answer(issuer: IssuerRow, asked: Asked, keys: readonly WalletKey[]): Promise<Given | { interval: number }> {
    const { catalog, requests } = this.options;
    const credential = await catalog.credential(asked.asked.credentialId);
    if (credential?.issuerId !== issuer._id) throw denied('The credential is not issued any more.');
    if (issuer.managed && asked.asked.coreClaimHash !== undefined) return this.#copies(asked, asked.asked, keys);
    try {
      return await this.#answerOf({ issuer, credential, asked }, keys);
    } catch (thrown) {
      if (!(thrown instanceof RequestChanged)) throw thrown;
      const now = await requests.findById(asked.asked._id).lean<RequestedCredentialRow>();
      if (!issuer.managed || now?.coreClaimHash === undefined) throw denied(thrown.message, thrown.logged);
      return this.#copies(asked, now, keys);
    }
  }

  /** @throws RequestChanged, and as `respond`. */
  async #answerOf(
    { issuer, credential, asked }: { issuer: IssuerRow; credential: CredentialRow; asked: Asked },
    keys: readonly WalletKey[],
  ): Promise<Given | { interval: number }> {
    const { answers, copies } = this.options;
    const { _id: requestId, credentialId, holderId } = asked.asked;
    const vct = copies.typeName(credential);
    const question = { requestId, credentialId, holderId, vct, keys };
    const answer = await this.#orRefused(asked, () => answers.ask(issuer, question));
    if (answer.kind === 'later') return answer;
    if (answer.kind === 'subject') return this.#issue({ issuer, credential, asked }, answer.subject, keys);
    return this.#passed({ issuer, asked }, answer, { vct, keys });
  }

  /** Credentials of another issuer, if they are what they must be; their claim, if it names one, becomes an issuance. @throws DomainError STORE_UNAVAILABLE. */
  async #passed(
    { issuer, asked }: { issuer: IssuerRow; asked: Asked },
    { credentials: texts, claim }: Extract<IssuerAnswer, { kind: 'credentials' }>,
    { vct, keys }: { vct: string; keys: readonly WalletKey[] },
  ): Promise<Given> {
    const { direct, issuerKeys, publicUrl, clock } = this.options;
    const trust = trustOf(issuer, publicUrl);
    const checked = trust && (await checkedCredentials(texts, { trust, vct, keys, now: clock() }, issuerKeys));
    if (!checked)
      throw issuerUnavailable(issuer, 'answered with credentials that are not its own, or not for these keys');
    const { credentials, expiresAt } = checked;
    if (claim === undefined) return { credentials, isCounted: false };
    const { credentialId, holderId } = asked.asked;
    if (claim.issuerDid !== issuer.issuerDid || claim.credentialId !== credentialId)
      throw issuerUnavailable(issuer, 'answered with the claim of another credential');
    await this.#orRefused(asked, async () => {
      const caller = await this.#callerFor(issuer);
      const record: RecordClaim = async (made, session) => {
        if (!(await this.#record(asked, made, session))) throw changed();
      };
      await direct.storeOfWallet(caller, { claim, holderId, expiresAt }, record);
    });
    return { credentials, isCounted: true };
  }

  /**
   * Writes which issuance a request has; the request then lasts as long as a token opens it.
   * @param among of which requests it must be
   * @returns whether it is
   */
  async #record({ row, asked: { _id } }: Asked, issued: Issued, session: ClientSession, among = {}): Promise<boolean> {
    const { requests, clock } = this.options;
    const { coreClaimHash, partnerId, sealedSubject } = issued;
    const expiresAt = row.jkt === undefined ? row.expiresAt : new Date(clock() + REFRESH_MS);
    const change = { coreClaimHash, partnerId, expiresAt, ...(sealedSubject && { sealedSubject }) };
    const { matchedCount } = await requests.updateOne({ _id, ...among }, { $set: change }, { session });
    return matchedCount === 1;
  }

  /** Issues, and signs the first copies. @throws RequestChanged for the second of two requests at once. */
  async #issue(
    { issuer, credential, asked }: { issuer: IssuerRow; credential: CredentialRow; asked: Asked },
    subject: JsonObject,
    keys: readonly WalletKey[],
  ): Promise<Given> {
    const { issuance, copies, catalog } = this.options;
    const { token, row } = asked;
    const { _id, holderId: userId, credentialId } = asked.asked;
    const sealedSubject = seal(unwrap(token, row.wrappedKey, _id), JSON.stringify(subject), _id);
    const made = await this.#orRefused(asked, async () => {
      const obstacle = await copies.obstacle(credential);
      if (obstacle !== undefined) throw new DomainError('CONFLICT', 'The credential has no form for wallets.');
      const caller = await this.#callerFor(issuer);
      const { issuerDid } = issuer;
      const request = { issuerDid, credentialId, credentialSubject: subject, userId, onDuplicate: 'revoke' as const };
      return issuance.issueToWallet(caller, request, {
        issuer,
        drawInstances: () => copies.places(issuer._id, keys),
        record: async ({ coreClaimHash }, session) => {
          const issued = { coreClaimHash, partnerId: caller.partnerId, sealedSubject };
          if (!(await this.#record(asked, issued, session, UNISSUED))) throw changed();
          if (credential.offered !== true) await catalog.markOffered(credentialId, session);
        },
      });
    });
    return { credentials: await copies.signIssued(made, { subject, keys }), isCounted: true };
  }

  /** Copies of the issuance of a request. @throws ProtocolError credential_request_denied. */
  async #copies(
    asked: Asked,
    { coreClaimHash, sealedSubject }: Pick<RequestedCredentialRow, 'coreClaimHash' | 'sealedSubject'>,
    keys: readonly WalletKey[],
  ): Promise<Given> {
    const { copies, clock } = this.options;
    if (coreClaimHash === undefined || sealedSubject === undefined) throw ended();
    try {
      const subject = subjectOf(asked, sealedSubject);
      const credentials = await copies.sign(coreClaimHash, { subject, keys, now: new Date(clock()) });
      if (credentials !== undefined) return { credentials, isCounted: true };
    } catch (thrown) {
      if (thrown instanceof DomainError && thrown.code === 'CONFLICT') throw denied(thrown.message);
      throw thrown;
    }
    throw ended();
  }

  /** The partner whose issuances an issuer's own answers are: the first, by id, that may issue for it. @throws DomainError CONFLICT. */
  async #callerFor({ issuerDid, managed }: IssuerRow): Promise<PartnerCaller> {
    const { partners } = this.options;
    for (const partnerId of await partners.actingFor(issuerDid)) {
      const partner = await partners.find(partnerId);
      if (partner?.scopes.includes('issue') && (partner.issueOnBehalf || !managed))
        return partnerWithoutToken(partnerId, partner.scopes);
    }
    throw new DomainError('CONFLICT', 'No partner may issue for this issuer.');
  }

  /** Ends a request that is refused. @throws ProtocolError credential_request_denied; RequestChanged for one that was issued meanwhile. */
  async #orRefused<T>({ asked: { _id, coreClaimHash } }: Asked, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (thrown) {
      if (thrown instanceof RequestChanged) throw thrown;
      const error = toDomainError(thrown);
      if (error.status >= 500 || ERRORS[error.code].category === 'limit') throw thrown;
      const { models, requests } = this.options;
      const asRead = coreClaimHash === undefined ? { _id, ...UNISSUED } : { _id };
      if ((await requests.deleteOne(asRead)).deletedCount === 0) throw new RequestChanged(error.message, error.logged);
      await models.walletTokens.deleteMany({ requestId: _id });
      throw denied(error.message, error.logged);
    }
  }
}

function subjectOf({ token, row, asked: { _id } }: Asked, sealed: string): Record<string, unknown> {
  return JSON.parse(open(unwrap(token, row.wrappedKey, _id), sealed, _id).toString()) as Record<string, unknown>;
}

const listed = ({ credentials }: Given) => ({ credentials: credentials.map((credential) => ({ credential })) });

/** Notifications are about issuances here. */
const issued = ({ row }: Asked, given: Given): RouteAnswer => ({
  body: { ...listed(given), ...(given.isCounted ? { notification_id: row.notificationId } : {}) },
});

const waiting = (transactionId: string, interval: number): RouteAnswer => ({
  status: 202,
  body: { transaction_id: transactionId, interval },
});
