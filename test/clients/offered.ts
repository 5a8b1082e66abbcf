// An offer to somebody, and what its browser does with the address that a wallet opens.
import { expect } from 'vitest';
import { Authorizing } from '../openid4vci/authorizing.js';
import type { World } from '../wallets/world.js';

/** Offers `member`. */
export async function offeredTo(world: World, email: string) {
  const { body } = await world.offer({ email, txCode: 'partner' });
  const user = new Authorizing(world.url, `${world.url}/oid4vci/club`);
  return {
    offerUri: body.offerUri as string,
    /** Logs in on the page, and follows its link. @returns where the browser goes */
    agree: async (address: string): Promise<URL> => {
      const page = await user.open(Object.fromEntries(new URL(address).searchParams));
      expect(page.status, page.text).toBe(200);
      return user.follow(await user.logIn(world, page, email), 'agree');
    },
    state: async () => (await world.partner('GET', `/v1/offers/${body.offerId}`)).body,
  };
}
