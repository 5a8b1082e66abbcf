// Links between partners' pages: made on one, after a click, and followed on another, where the user is asked too.
import { CoreServiceError } from '../sdk/core/error.js';
import type { CoreUserDetails } from '../sdk/core/types.js';
import { checked, PARTNER_URL } from './check.js';
import type { ClientConfig } from './config.js';
import { callGateway, Refusal } from './gateway.js';
import type { ScreenHost } from './screen-host.js';
import type { Session, SessionResult } from './session.js';
import type { Texts } from './texts.js';

const LINK = '/v1/auth/partner-link';

export interface PartnerLinksParts {
  config: ClientConfig;
  host: ScreenHost;
  session: Session;
  texts(): Texts;
  /** The origin of the page that has this frame. */
  pageOrigin(): string | undefined;
}

export class PartnerLinks {
  constructor(private readonly parts: PartnerLinksParts) {}

  /** A link to a page of another partner. @param signal ends it. @throws CoreServiceError INVALID_PARAMETER, USER_CANCELLED, and what the gateway refuses. */
  go(url: unknown, signal?: AbortSignal): Promise<{ urlWithToken: string }> {
    const { config, host, session, texts } = this.parts;
    const { partnerUrl } = checked(PARTNER_URL, { partnerUrl: url });
    const { email = '' } = session;
    session.requireLogin();
    return host.run(async ({ present }) => {
      const { name } = await this.#make(partnerUrl);
      const { title, hint, page, action } = texts().link;
      await present<'consent'>({
        ...{ kind: 'consent', partnerName: config.name, title: title(name), hint: hint(config.name, email), action },
        facts: [{ name: page, value: partnerUrl }],
      });
      // The first code has aged while the user read.
      const { code } = await this.#make(partnerUrl);
      return { urlWithToken: `${partnerUrl}${partnerUrl.includes('#') ? '&' : '#'}core_login=${code}` };
    }, signal);
  }

  async #make(url: string): Promise<{ code: string; name: string }> {
    try {
      return await this.parts.session.call(LINK, { method: 'POST', body: { url } });
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 400) throw error;
      throw new CoreServiceError('INVALID_PARAMETER', '"partnerUrl" must be a page of exactly one other partner.');
    }
  }

  /** Begins the session of a link that led here, if it is good and the user wants that. */
  async follow(code: string): Promise<void> {
    const { config, session, pageOrigin } = this.parts;
    const body = { code, partnerId: config.partnerId, origin: pageOrigin() };
    const redeeming = callGateway<SessionResult>(`${LINK}/redeem`, { method: 'POST', body });
    const result = await redeeming.catch(() => undefined);
    if (result) await this.#begin(result).catch(() => session.abandon(result.token));
  }

  #begin(result: SessionResult): Promise<unknown> {
    const { config, host, session, texts } = this.parts;
    return host.run(async ({ present, requireOpen }) => {
      const { user } = await callGateway<CoreUserDetails>('/v1/holders/me', { session: result.token });
      const { email = '' } = user;
      const { title, hint, action } = texts().arrival;
      await present<'consent'>({
        ...{ kind: 'consent', partnerName: config.name, title: title(masked(email)), hint: hint(config.name), action },
        facts: [],
      });
      await session.begin(result, email, requireOpen);
    });
  }
}

/** An address of which somebody who does not know it learns little. */
const masked = (email: string): string => email.replace(/^(.)[^@]*/, '$1…');
