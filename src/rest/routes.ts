// Every REST route, in one list: the server, its 405 answers and later the OpenAPI document derive from it.
import type { Clients } from '../clients.js';
import type { Services } from '../context.js';
import { adminRoutes } from './admin.routes.js';
import { catalogRoutes } from './catalog.routes.js';
import { eventsRoutes } from './events.routes.js';
import { type HealthOptions, healthRoutes } from './health.routes.js';
import { holdersRoutes } from './holders.routes.js';
import { issuanceRoutes } from './issuance.routes.js';
import { keysRoutes } from './keys.routes.js';
import { partnersRoutes } from './partners.routes.js';
import type { AnyRoute } from './route.js';
import { storageRoutes } from './storage.routes.js';

/** All routes over these services. */
export function restRoutes(services: Services, clients: Clients, health: HealthOptions): AnyRoute[] {
  return [
    ...healthRoutes(health),
    ...catalogRoutes(services),
    ...adminRoutes(services),
    ...partnersRoutes(services),
    ...keysRoutes(services),
    ...holdersRoutes(services),
    ...storageRoutes(services),
    ...issuanceRoutes(services),
    ...eventsRoutes(services, clients),
  ];
}
