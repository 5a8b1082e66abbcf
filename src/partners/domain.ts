// The parts of the partners domain.
import type { PartCheck } from '../base/monitoring/problems.js';
import type { Core } from '../compose/domain.js';
import { PartnerAdmin } from './admin.service.js';
import { PartnerDirectory } from './directory.service.js';
import { PartnerKeySets } from './key-sets.js';
import { partnerModels } from './models.js';
import { partnerOperations } from './operations.js';
import { partnersRoutes } from './partners.routes.js';
import { PartnerTokens } from './token.service.js';

/** The most partners whose key sets are reported at a time. */
const MAX_NAMED = 10;

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
  partChecks: ({ connection }: Core): PartCheck[] => [
    {
      kinds: ['key-set-refused'],
      look: async () => {
        const filter = { keySetProblem: { $exists: true, $ne: null } };
        const rows = await partnerModels(connection).partners.find(filter, { _id: 1 }).limit(MAX_NAMED).lean();
        return rows.map(({ _id }) => ({ kind: 'key-set-refused', of: _id }));
      },
    },
  ],
  operations: partnerOperations,
  routes: partnersRoutes,
} as const;
