// Links from one partner's page to another's that carry the login: each has a code that can be used once, within a minute, at one origin.
import { createHash, randomBytes } from 'node:crypto';
import { type HolderCaller, limitedAs } from '../base/callers/caller.js';
import { networkOf } from '../base/callers/client-address.js';
import { badInput, DomainError } from '../base/errors.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import type { Holders } from './holders.service.js';
import type { RedeemInput } from './inputs.js';
import type { HolderModels } from './models.js';
import type { PartnerLinkRow } from './partner-link-models.js';
import type { SessionOpener } from './session-opening.js';
import type { LoginResult, PartnerLink } from './session-types.js';

export interface PartnerLinkParts {
  models: Pick<HolderModels, 'partnerLinks' | 'sessions'>;
  holders: Holders;
  partners: Pick<PartnerDirectory, 'allowing'>;
  opener: SessionOpener;
  limits: RateLimits;
  publicUrl: string;
  clock(): number;
}

/** How long a code is valid, milliseconds. */
const LINK_MS = 60_000;
const TEN_MINUTES = 600;
const BY_HOLDER: RateLimit = { name: 'partner links by holder', max: 100, seconds: TEN_MINUTES };
const TRIES_BY_ADDRESS: RateLimit = { name: 'partner links by address', max: 600, seconds: TEN_MINUTES };

/** Creates and redeems links. */
export class PartnerLinks {
  constructor(private readonly parts: PartnerLinkParts) {}

  /**
   * Creates a code for a page of another partner. @throws DomainError BAD_USER_INPUT (url) unless exactly one other
   * partner that is not retired has its origin.
   */
  async make(caller: HolderCaller, url: string): Promise<PartnerLink> {
    const { models, partners, limits, clock } = this.parts;
    await limits.count([BY_HOLDER, limitedAs(caller)]);
    const { holderId, sessionId, partnerId: sourcePartnerId = '' } = caller;
    const { origin } = new URL(url);
    const others = (await partners.allowing(origin)).filter(({ _id }) => _id !== sourcePartnerId);
    const [partner] = others;
    if (partner === undefined || others.length > 1)
      throw badInput('"url" must be a page of exactly one other partner: its allowedOrigins have the origin.', 'url');
    const code = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock() + LINK_MS);
    const of = { holderId, sessionId, sourcePartnerId, partnerId: partner._id, origin };
    await models.partnerLinks.create([{ _id: hashOf(code), ...of, expiresAt }]);
    return { code, partnerId: partner._id, name: partner.name };
  }

  /**
   * Opens a session with the partner whose page the link leads to. Every attempt uses the code up.
   * @param origin the header of that name: only the wallet's pages may redeem
   * @param address the client's IP address
   * @throws DomainError GONE, RATE_LIMITED; FORBIDDEN for other pages.
   */
  async redeem(
    { code, partnerId, origin: pageOrigin }: RedeemInput,
    origin: string | undefined,
    address: string,
  ): Promise<LoginResult> {
    const { models, holders, limits, opener, publicUrl } = this.parts;
    await limits.count([TRIES_BY_ADDRESS, networkOf(address)]);
    if (origin !== undefined && origin !== new URL(publicUrl).origin)
      throw new DomainError('FORBIDDEN', 'Only the wallet redeems a link.');
    const link = await models.partnerLinks.findById(hashOf(code)).lean<PartnerLinkRow>();
    if (link === null) throw linkGone();
    const isRight = link.partnerId === partnerId && (pageOrigin === undefined || pageOrigin === link.origin);
    const holder = isRight && (await this.#isLive(link)) ? await holders.byId(link.holderId) : undefined;
    if (holder === undefined) {
      await models.partnerLinks.deleteOne({ _id: link._id });
      throw linkGone();
    }
    const { sourcePartnerId } = link;
    const partnerUserId = await holders.partnerUserIdOf(holder._id, partnerId);
    return opener.open({
      ...{ holder, partnerId, partnerUserId, sourcePartnerId, vouched: false },
      spend: async (sessionId, session) => {
        const { deletedCount } = await models.partnerLinks.deleteOne({ _id: link._id }, { session });
        return deletedCount > 0 ? sessionId : undefined;
      },
    });
  }

  /** Whether neither the code nor the session that created it has ended. */
  async #isLive({ sessionId, expiresAt }: PartnerLinkRow): Promise<boolean> {
    const { models, clock } = this.parts;
    return expiresAt.getTime() > clock() && (await models.sessions.exists({ _id: sessionId })) !== null;
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

const linkGone = (): DomainError =>
  new DomainError('GONE', 'The link has expired, was used, or is for another page; log in.');
