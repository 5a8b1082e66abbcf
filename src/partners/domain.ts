// The parts of the partners domain.
import type { Core } from '../compose/domain.js';
import { PartnerAdmin } from './admin.service.js';
import { PartnerDirectory } from './directory.service.js';
import { PartnerKeySets } from './key-sets.js';
import { partnerModels } from './models.js';
import { partnerOperations } from './operations.js';
import { partnersRoutes } from './partners.routes.js';
import { PartnerTokens } from './token.service.js';

export interface PartnerServices {
  partners: PartnerDirectory;
  partnerAdmin: PartnerAdmin;
  partnerTokens: PartnerTokens;
}

export const partnersDomain = {
  models: partnerModels,
  services({ config, connection, outbound: fetch, problems, recordWrites, clock }: Core): PartnerServices {
    const models = partnerModels(connection);
    const partners = new PartnerDirectory(models);
    const keySets = new PartnerKeySets({ fetch, staleIfErrorMs: config.keySetStaleMs, problems });
    const sandbox = config.networkEnv === 'sandbox';
    return {
      partners,
      partnerTokens: new PartnerTokens(partners, keySets, clock),
      partnerAdmin: new PartnerAdmin({
        models,
        directory: partners,
        sandbox,
        recordWrites,
        now: () => new Date(clock()),
      }),
    };
  },
  operations: partnerOperations,
  routes: partnersRoutes,
} as const;
