// Access to the gateway: who may call it, from which pages, and when.
import type { FastifyInstance } from 'fastify';
import type { Config } from '../base/config/config.js';
import { keepSecret, OPERATOR_KEY_FILE } from '../base/data-dir.js';
import { storeUnavailable } from '../base/errors.js';
import { isOrigin } from '../base/config/origins.js';
import { isSocketRequest } from '../graphql/subscriptions/socket-route.js';
import { holderCredentials } from '../holders/sessions.js';
import { type Authenticate, authenticator, operatorCredentials } from '../http/callers/authenticate.js';
import type { OriginRules } from '../http/callers/cors.js';
import { isLoopbackHost } from '../http/outbound/outbound-address.js';
import { partnerCredentials } from '../partners/partner-credentials.js';
import { isConnected, type Store } from '../store/connection.js';
import type { Services } from './context.js';

/** The sandbox creates its operator's key on first start; in production it is configured, or the operator's API is closed. */
export function operatorKeyOf(config: Config): string | undefined {
  if (config.adminApiKey !== undefined || config.networkEnv === 'production') return config.adminApiKey;
  return keepSecret(config.dataDir, OPERATOR_KEY_FILE, 'hex');
}

/** How callers are authenticated, and the allowed origins of their pages. */
export function accessOf(
  config: Config,
  services: Services,
  operatorKey: string | undefined,
  http: FastifyInstance,
): { authenticate: Authenticate; origins: OriginRules } {
  const authenticate = authenticator({
    operator: operatorCredentials(operatorKey, (key) => services.operatorKeys.find(key)),
    partner: partnerCredentials(services.partnerTokens),
    holder: holderCredentials(services.sessions),
  });
  const origins: OriginRules = {
    origins: config.publicUrl ? [...config.corsOrigins, new URL(config.publicUrl).origin] : config.corsOrigins,
    isLocal: (origin) => isLocalPage(origin, config, http),
    partnerOrigins: () => services.partners.allowedOrigins(),
    originsOfPartner: async (partnerId) => (await services.partners.find(partnerId))?.allowedOrigins ?? [],
  };
  return { authenticate, origins };
}

/**
 * Whether an origin is one of a page on this machine that may call: in the sandbox any such page, in production the
 * gateway's own.
 */
function isLocalPage(origin: string, { networkEnv, pages }: Config, { server }: FastifyInstance): boolean {
  if (!isOrigin(origin)) return false;
  const url = new URL(origin);
  if (!/^https?:$/.test(url.protocol) || !isLoopbackHost(url)) return false;
  if (networkEnv === 'sandbox') return true;
  const address = server.address();
  return pages && typeof address === 'object' && url.protocol === 'http:' && url.port === String(address?.port);
}

/** What operators ask while the store is away. The configured key is valid without it. */
const WITHOUT_STORE: ReadonlySet<string> = new Set(['/metrics', '/v1/admin/parts']);

/**
 * While the store cannot be reached, every request except health and what operators ask then is refused at once instead of timing out; sockets are
 * closed by their own route.
 */
export function refuseWithoutStore(http: FastifyInstance, { connection }: Store): void {
  http.early.isStoreAvailable = () => isConnected(connection);
  http.addHook('onRequest', (request, _reply, done) => {
    const { url } = request;
    if (isConnected(connection) || url.startsWith('/health/') || WITHOUT_STORE.has(url) || isSocketRequest(request))
      done();
    else done(storeUnavailable());
  });
}
