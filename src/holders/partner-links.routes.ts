// /v1/auth/partner-link: a holder goes from one partner's page to another's without a login there.
import type { z } from 'zod';
import { requireHolder } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { partnerLinkBody, type RedeemInput, redeemBody } from './inputs.js';
import type { PartnerLinks } from './partner-links.js';
import { loginResult, partnerLink } from './session-types.js';

/** The routes of links between partners. */
export function partnerLinkRoutes({ partnerLinks }: { partnerLinks: PartnerLinks }): AnyRoute[] {
  return [
    route<unknown, unknown, z.output<typeof partnerLinkBody>>({
      method: 'POST',
      path: '/v1/auth/partner-link',
      summary: "A code that logs the holder in at another partner's page: once, within a minute",
      auth: 'holder',
      body: partnerLinkBody,
      answers: { 200: partnerLink },
      handle: async ({ caller, body: { url } }) => ({ body: await partnerLinks.make(requireHolder(caller), url) }),
    }),
    route<unknown, unknown, RedeemInput>({
      method: 'POST',
      path: '/v1/auth/partner-link/redeem',
      summary: 'Log in with the code of a link; of pages, only the wallet may',
      auth: 'public',
      body: redeemBody,
      answers: { 200: loginResult },
      fails: { 410: 'The link has expired, was used, or is for another page.' },
      handle: async ({ body, headers: { origin }, address }) => ({
        body: await partnerLinks.redeem(body, origin, address),
      }),
    }),
  ];
}
