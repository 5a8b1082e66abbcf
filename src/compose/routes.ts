// Every REST route, in one list: the server, its 405 answers and later the OpenAPI document derive from it.

import { adminRoutes } from '../catalog/admin/admin.routes.js';
import { catalogRoutes } from '../catalog/catalog.routes.js';
import { eventsRoutes } from '../events/events.routes.js';
import { holdersRoutes } from '../holders/holders.routes.js';
import { keysRoutes } from '../holders/keys.routes.js';
import type { Clients } from '../http/clients.js';
import { type HealthOptions, healthRoutes } from '../http/health.routes.js';
import type { AnyRoute } from '../http/route.js';
import { issuanceRoutes } from '../issuance/issuance.routes.js';
import { partnersRoutes } from '../partners/partners.routes.js';
import { storageRoutes } from '../storage/storage.routes.js';
import type { Services } from './context.js';

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
