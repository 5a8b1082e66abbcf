// What the gateway is told of verification.
import type { IssuingCatalog } from '../catalog/issuing.service.js';
import type { RateLimits } from '../holders/rate-limits.service.js';
import type { Core } from '../http/core.js';
import { ConditionService } from './conditions.service.js';
import { EncodingService } from './encoding.service.js';
import { IssuerKeys } from './issuer-keys.service.js';
import { VerificationResolver } from './verification.resolver.js';
import { verificationRoutes } from './verification.routes.js';

export interface VerificationServices {
  conditions: ConditionService;
  encodings: EncodingService;
  issuerKeys: IssuerKeys;
}

interface Left {
  issuingCatalog: IssuingCatalog;
  rateLimits: RateLimits;
}

function verificationServices(
  { clock, managedIssuers, zkKeys }: Core,
  { issuingCatalog: catalog, rateLimits: limits }: Left,
): VerificationServices {
  return {
    conditions: new ConditionService({ catalog, limits, clock }),
    encodings: new EncodingService(catalog),
    issuerKeys: new IssuerKeys({ catalog, managedIssuers, zkKeys }),
  };
}

export const verificationDomain = {
  models: () => ({}),
  services: verificationServices,
  resolvers: [VerificationResolver],
  routes: verificationRoutes,
} as const;
