// Health for balancers and orchestrators: `live` means that the process runs, `ready` that its store responds as well.
import { DomainError, storeUnavailable } from '../../base/errors.js';
import { buildOf } from '../../base/version.js';
import { type AnyRoute, route } from './route.js';
import { listOf, object, oneOf, TEXT } from './shapes.js';

export interface HealthOptions {
  /** Rejects when the store does not respond. */
  ping(): Promise<void>;
  /** Whether the process is about to stop: balancers should send no more requests. */
  isStopping(): boolean;
  /** One sentence for each part that does not work although the gateway serves requests. */
  problems(): string[];
}

/** `GET /health/live`, `GET /health/ready`. */
export function healthRoutes({ ping, isStopping, problems }: HealthOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/health/live',
      summary: 'Whether the process runs, and which version',
      auth: 'public',
      answers: { 200: object({ status: oneOf('live'), 'version?': TEXT, 'commit?': TEXT }) },
      neverWaits: true,
      handle: async () => ({ body: { status: 'live', ...buildOf() }, headers: { 'cache-control': 'no-store' } }),
    }),
    route({
      method: 'GET',
      path: '/health/ready',
      summary:
        'Whether the store responds; 503 if not, and before the process stops. `problems` names other parts that do not work',
      auth: 'public',
      answers: { 200: object({ status: oneOf('ready'), 'problems?': listOf(TEXT) }) },
      neverWaits: true,
      async handle() {
        if (isStopping()) throw new DomainError('STORE_UNAVAILABLE', 'The gateway is about to stop.');
        try {
          await ping();
        } catch (cause) {
          throw storeUnavailable(cause);
        }
        const open = problems();
        const body = { status: 'ready', ...(open.length === 0 ? {} : { problems: open }) };
        return { body, headers: { 'cache-control': 'no-store' } };
      },
    }),
  ];
}
