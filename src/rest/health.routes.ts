// Health for balancers and orchestrators: alive is the process, ready is the process with a store that answers.
import { storeUnavailable } from '../errors.js';
import { type AnyRoute, route } from './route.js';

/** `GET /health/live`, `GET /health/ready`. */
export function healthRoutes(ping: () => Promise<void>): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/health/live',
      summary: 'Whether the process runs',
      auth: 'public',
      handle: async () => ({ body: { status: 'live' }, headers: { 'cache-control': 'no-store' } }),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      summary: 'Whether the store answers; 503 until it does',
      auth: 'public',
      async handle() {
        try {
          await ping();
        } catch (cause) {
          throw storeUnavailable(cause);
        }
        return { body: { status: 'ready' }, headers: { 'cache-control': 'no-store' } };
      },
    }),
  ];
}
