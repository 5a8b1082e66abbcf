// /v1/client: what client programs read before anyone logs in.
import type { z } from 'zod';
import { type AnyRoute, route } from '../http/routes/route.js';
import type { ClientConfigs } from './client-config.js';
import { configQuery } from './inputs.js';
import { clientConfig } from './types.js';

/** The route of the client's configuration. */
export function clientRoutes({ clientConfigs }: { clientConfigs: ClientConfigs }): AnyRoute[] {
  return [
    route<unknown, z.output<typeof configQuery>, unknown>({
      method: 'GET',
      path: '/v1/client/config',
      summary: 'What a client program of a partner needs to know before anyone logs in',
      auth: 'public',
      query: configQuery,
      answers: { 200: clientConfig },
      fails: { 404: 'There is no such partner.' },
      handle: async ({ query: { partnerId } }) => ({ body: await clientConfigs.get(partnerId) }),
    }),
  ];
}
