// The OpenAPI document of the whole gateway.
import type { Clients } from '../http/callers/clients.js';
import { type Examples, openApiDocument } from '../http/openapi/document.js';
import type { AnyRoute } from '../http/routes/route.js';
import type { Services } from './context.js';
import { restRoutes } from './routes.js';

/** Every row of the table, for reading only: these routes are not served. */
export function describedRoutes(): AnyRoute[] {
  const nothing = {
    health: { ping: async () => {}, isStopping: () => false, problems: () => [] },
    metricsText: async () => '',
  };
  return restRoutes({} as Services, {} as Clients, nothing);
}

/** The document as text. @param examples real responses */
export const openApiText = (examples: Examples): string =>
  `${JSON.stringify(openApiDocument(describedRoutes(), examples), null, 2)}\n`;
