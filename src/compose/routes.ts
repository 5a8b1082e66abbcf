// Every REST route, in one list: the server, its 405 responses and the OpenAPI document derive from it.
import type { Clients } from '../http/callers/clients.js';
import { type HealthOptions, healthRoutes } from '../http/routes/health.routes.js';
import { metricsRoutes } from '../http/routes/metrics.routes.js';
import { openApiRoutes } from '../http/openapi/openapi.routes.js';
import type { AnyRoute } from '../http/routes/route.js';
import type { Services } from './context.js';
import { domainRoutes } from './domains.js';

export interface OwnRoutes {
  health: HealthOptions;
  metricsText(): Promise<string>;
}

/** All routes over these services. */
export function restRoutes(services: Services, clients: Clients, { health, metricsText }: OwnRoutes): AnyRoute[] {
  const own = [...healthRoutes(health), ...metricsRoutes(metricsText), ...openApiRoutes()];
  return [...own, ...domainRoutes(services, clients)];
}
