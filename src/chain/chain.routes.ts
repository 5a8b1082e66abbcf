// /v1/chain: what anyone may know of the chain (contract §18).
import { type AnyRoute, route } from '../http/route.js';
import type { Chain } from './chain.service.js';

/** All routes of the chain. */
export function chainRoutes({ chain }: { chain: Chain }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/chain',
      summary: 'The chain that credentials are anchored on, and where its contracts are',
      auth: 'public',
      handle: async () => ({ body: await chain.status(), headers: { 'cache-control': 'no-store' } }),
    }),
  ];
}
