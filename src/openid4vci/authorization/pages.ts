// The pages of authorization requests (contract §33), step by step: a mailed code, the login, the agreement. Each step may be repeated.
import type { ClientSession, Model } from 'mongoose';
import { badInput, DomainError } from '../../base/errors.js';
import { walletIssuer } from '../../certificates/certificate-holders.service.js';
import type { EmailProofs } from '../../holders/email-proofs.service.js';
import { sameEmail } from '../../holders/holders.service.js';
import type { OfferRow, Openid4vciModels } from '../models.js';
import {
  authorizationCodeOf,
  hashOf,
  inputKeyOf,
  newSecret,
  open,
  opens,
  repeatKeyOf,
  seal,
  unwrap,
  wrap,
} from '../secrets.js';
import type { AuthorizationRow } from './models.js';
import { codeAddress, refusalAddress } from './responses.js';

export interface PagesOptions {
  models: Pick<Openid4vciModels, 'offers'>;
  authorizations: Model<AuthorizationRow>;
  emailProofs: EmailProofs;
  publicUrl: string;
  clock(): number;
}

/** A page: its secret, which only the browser has, and its row. */
export interface Page {
  secret: string;
  row: AuthorizationRow;
}

/** What the user typed last, and what was wrong with it. */
export interface Input {
  email: string;
  fault?: string;
}

const CODE_MS = 60_000;
const MAX_REPEATS = 5;

/** The pages that are open, and those that are over but can still be reloaded. */
export class AuthorizationPages {
  constructor(private readonly options: PagesOptions) {}

  /** The page of a secret; undefined: there was none, or it has expired. */
  async find(issuerId: string, secret: string): Promise<Page | undefined> {
    const { authorizations, clock } = this.options;
    const row = await authorizations
      .findOne({ _id: hashOf(secret), kind: { $ne: 'pushed' }, issuerId })
      .lean<AuthorizationRow>();
    if (row === null || row.expiresAt.getTime() <= clock() || (row.repeats ?? 0) >= MAX_REPEATS) return undefined;
    return { secret, row };
  }

  /** What the user typed last. A fault is returned once. */
  async lastInput(page: Page): Promise<Input> {
    const { fault, ...input } = inputOf(page);
    if (fault === undefined) return input;
    const { _id, sealedInput } = page.row;
    await this.options.authorizations.updateOne({ _id, sealedInput }, { $set: { sealedInput: sealed(page, input) } });
    return { ...input, fault };
  }

  /** Notes why an input was refused, for the page to show. @param email the one that was typed; otherwise that of before */
  async refuse(page: Page, fault: string, email = inputOf(page).email): Promise<void> {
    const sealedInput = sealed(page, { email, fault });
    await this.options.authorizations.updateOne({ _id: page.row._id }, { $set: { sealedInput } });
  }

  /**
   * Mails a login code; who has logged in and what they agreed to is void then. A form that was sent before mails nothing.
   * @param mails the count in the form @throws DomainError as `EmailProofs.begin`.
   */
  async mailCode(page: Page, { email, mails }: { email: string; mails: unknown }, address: string): Promise<void> {
    const { emailProofs, authorizations } = this.options;
    const { _id, kind, issuerId, mails: before } = page.row;
    const isRepeat = mails !== String(before) && sameEmail(email, inputOf(page).email);
    if (kind !== 'page' || isRepeat) return;
    await emailProofs.begin(`issuer:${issuerId}`, email, address, async (loginId) => {
      const change = {
        $set: { loginId, mails: before + 1, sealedInput: sealed(page, { email }) },
        $unset: { holderId: 1, codeHash: 1, codeKey: 1, codeExpiresAt: 1 },
      };
      return (await authorizations.updateOne({ _id, kind, mails: before }, change)).modifiedCount > 0;
    });
  }

  /**
   * Checks the login code. The page gets a new secret: whoever knew the old one is not the browser that logged in. A repeat gets the same page.
   * @throws DomainError as `EmailProofs.confirm`; FORBIDDEN if the offer is for another person.
   */
  async logIn(page: Page, code: string, address: string): Promise<Page> {
    const { kind, loginId } = page.row;
    if (kind === 'renewed') {
      const renewed = await this.#renewedPage(page, code);
      if (renewed === undefined) throw badInput('The code is wrong.', 'code');
      return renewed;
    }
    if (kind !== 'page' || loginId === undefined) return page;
    try {
      return await this.options.emailProofs.confirm({ loginId, code, address }, (holderId, session) =>
        this.#renew(page, { holderId, code }, session),
      );
    } catch (thrown) {
      const isGone = thrown instanceof DomainError && thrown.code === 'GONE';
      const renewed = isGone ? await this.#renewedPage(page, code) : undefined;
      if (renewed === undefined) throw thrown;
      return renewed;
    }
  }

  async #renew(
    { secret, row }: Page,
    { holderId, code }: { holderId: string; code: string },
    session: ClientSession,
  ): Promise<Page> {
    const { authorizations, models } = this.options;
    const { loginId: _used, sealedInput: _typed, offerId, wrappedKey, ...rest } = row;
    const offer = offerId && (await models.offers.findById(offerId, null, { session }).lean<OfferRow>());
    if (offer && offer.holderId !== holderId)
      throw new DomainError('FORBIDDEN', 'This offer is for another person. Use the address that it was sent to.');
    const next = newSecret();
    const key = wrappedKey === undefined || offerId === undefined ? undefined : unwrap(secret, wrappedKey, offerId);
    const of = key === undefined || offerId === undefined ? {} : { offerId, wrappedKey: wrap(next, key, offerId) };
    const change = {
      $set: { kind: 'renewed', renewedAs: seal(repeatKeyOf(secret, code), next, row._id), repeats: 0 },
      $unset: { loginId: 1, offerId: 1, wrappedKey: 1, sealedInput: 1 },
    };
    const { modifiedCount } = await authorizations.updateOne({ _id: row._id, kind: 'page' }, change, { session });
    if (modifiedCount === 0) throw pageGone();
    const renewed: AuthorizationRow = { ...rest, ...of, _id: hashOf(next), holderId };
    await authorizations.create([renewed], { session });
    return { secret: next, row: renewed };
  }

  /** The page after a login that is repeated with its code. Undefined where there was none; five codes may be tried. */
  async #renewedPage({ secret, row: { _id, issuerId } }: Page, code: string): Promise<Page | undefined> {
    const filter = { _id, kind: 'renewed' as const, repeats: { $lt: MAX_REPEATS } };
    const row = await this.options.authorizations
      .findOneAndUpdate(filter, { $inc: { repeats: 1 } })
      .lean<AuthorizationRow>();
    const key = repeatKeyOf(secret, code);
    if (row?.renewedAs === undefined || !opens(key, row.renewedAs, _id)) return undefined;
    return this.find(issuerId, open(key, row.renewedAs, _id).toString());
  }

  /**
   * The address that brings the wallet a code. A second click gets the same code; a later one a new code, which voids the one before.
   * Undefined: nobody is logged in on the page now.
   */
  async agree({ secret, row }: Page): Promise<string | undefined> {
    const { authorizations, publicUrl, clock } = this.options;
    const { _id, kind, issuerId, holderId, offerId, wrappedKey, pushedId, codeHash, codeExpiresAt } = row;
    if (kind !== 'page' || holderId === undefined) return undefined;
    const iss = walletIssuer(publicUrl, issuerId);
    if (codeExpiresAt !== undefined && codeExpiresAt.getTime() - clock() > CODE_MS / 2)
      return codeAddress(row, authorizationCodeOf(secret, codeExpiresAt), iss);
    const ends = new Date(clock() + CODE_MS);
    const code = authorizationCodeOf(secret, ends);
    const key = offerId === undefined || wrappedKey === undefined ? undefined : unwrap(secret, wrappedKey, offerId);
    const change = {
      ...{ codeHash: hashOf(code), codeExpiresAt: ends },
      ...(key === undefined || offerId === undefined ? {} : { codeKey: wrap(code, key, offerId) }),
      expiresAt: new Date(Math.max(row.expiresAt.getTime(), ends.getTime())),
    };
    const filter = { _id, kind, holderId, codeHash: codeHash ?? { $exists: false } };
    const { matchedCount } = await authorizations.updateOne(filter, { $set: change });
    if (matchedCount === 0) {
      const now = await this.find(issuerId, secret);
      return now && this.agree(now);
    }
    if (pushedId !== undefined) await authorizations.deleteOne({ _id: pushedId });
    return codeAddress(row, code, iss);
  }

  /** Ends a page, and its request. Returns the address that tells the wallet, also to a second click; undefined: the page went on otherwise. */
  async decline({ row }: Page): Promise<string | undefined> {
    const { authorizations } = this.options;
    const { _id, pushedId } = row;
    if (pushedId !== undefined) await authorizations.deleteOne({ _id: pushedId, kind: 'pushed' });
    const change = {
      $set: { kind: 'declined' },
      $unset: {
        ...{ offerId: 1, wrappedKey: 1, holderId: 1, loginId: 1, sealedInput: 1 },
        ...{ codeHash: 1, codeKey: 1, codeExpiresAt: 1 },
      },
    };
    const { matchedCount } = await authorizations.updateOne({ _id, kind: { $in: ['page', 'declined'] } }, change);
    return matchedCount === 0 ? undefined : this.declinedAddress(row);
  }

  /** The address that tells a wallet that the user declined. */
  declinedAddress(row: AuthorizationRow): string {
    const declined = { code: 'access_denied', message: 'The user declined.' };
    return refusalAddress(row, declined, walletIssuer(this.options.publicUrl, row.issuerId));
  }
}

/** What a page that is not there any more says. */
export const pageGone = (): DomainError =>
  new DomainError(
    'GONE',
    'This page has expired or was used, or this browser did not open it or stores no cookies. Start again in your wallet.',
  );

function inputOf({ secret, row: { _id, sealedInput } }: Page): Input {
  return sealedInput === undefined ? { email: '' } : JSON.parse(open(inputKeyOf(secret), sealedInput, _id).toString());
}

const sealed = ({ secret, row }: Page, input: Input): string =>
  seal(inputKeyOf(secret), JSON.stringify(input), row._id);
