// The parts of the accounts domain: smart accounts, core ids, and who pays for them.
import type { Chain } from '../chain/chain.service.js';
import type { ChainOutbox } from '../chain/outbox.service.js';
import type { CoreIds } from '../holders/core-ids.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { PartnerLogins } from '../holders/partner-logins.service.js';
import type { Core } from '../http/core.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { AccountsResolver } from './accounts.resolver.js';
import { accountRoutes } from './accounts.routes.js';
import { Accounts } from './accounts.service.js';
import { CoreIdClaims } from './core-id-claims.service.js';
import { accountModels } from './models.js';
import { Sponsorship } from './sponsorship.service.js';

export interface AccountServices {
  accounts: Accounts;
  coreIdClaims: CoreIdClaims;
}

interface Left {
  partners: PartnerDirectory;
  chain: Chain;
  outbox: ChainOutbox;
  holders: Holders;
  coreIds: CoreIds;
  partnerLogins: PartnerLogins;
}

function accountServices({ config, connection, publicUrl, clock }: Core, left: Left): AccountServices {
  const { partners, chain, outbox, holders, coreIds, partnerLogins } = left;
  const models = accountModels(connection);
  const sponsorship = new Sponsorship({ models, partners, environment: config.networkEnv, clock });
  const parts = { connection, models, chain, outbox, holders, sponsorship };
  const accounts = new Accounts(parts);
  const root = config.chain.coreIdRoot;
  const coreIdClaims = new CoreIdClaims({ ...parts, coreIds, partnerLogins, root, publicUrl, clock });
  outbox.handle('account', accounts.handler);
  outbox.handle('mint', coreIdClaims.handler);
  return { accounts, coreIdClaims };
}

export const accountsDomain = {
  models: accountModels,
  services: accountServices,
  resolvers: [AccountsResolver],
  routes: accountRoutes,
} as const;
