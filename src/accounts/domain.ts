// The parts of the accounts domain: smart accounts, core ids, and the payment of their gas.
import type { Chain } from '../chain/chain.service.js';
import type { ChainOutbox } from '../chain/outbox.service.js';
import type { Core } from '../compose/domain.js';
import { rpcOver } from '../evm/rpc.js';
import type { CoreIds } from '../holders/core-ids.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { PartnerLogins } from '../holders/partner-logins.service.js';
import type { SecondFactor } from '../holders/second-factor.service.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import { Accounts } from './accounts.js';
import { accountRoutes } from './accounts.routes.js';
import { CoreIdClaims } from './core-id-claims.js';
import { accountEraser } from './forget.js';
import { accountModels } from './models.js';
import { accountOperations } from './operations.js';
import { ChainRpc } from './rpc/rpc.js';
import { rpcRoute } from './rpc/rpc.routes.js';
import { UserOperations } from './rpc/user-operations.js';
import { Sponsorship } from './sponsorship.js';

export interface AccountServices {
  accounts: Accounts;
  coreIdClaims: CoreIdClaims;
  chainRpc: ChainRpc;
}

interface EarlierServices {
  partners: PartnerDirectory;
  chain: Chain;
  outbox: ChainOutbox;
  holders: Holders;
  coreIds: CoreIds;
  partnerLogins: PartnerLogins;
  secondFactor: SecondFactor;
}

function accountServices(core: Core, earlier: EarlierServices): AccountServices {
  const { config, connection, publicUrl, recordWrites, rateLimits: limits, clock, onError } = core;
  const { partners, chain, outbox, holders, coreIds, partnerLogins, secondFactor } = earlier;
  const models = accountModels(connection);
  core.erasers.add(accountEraser(connection));
  const sponsorship = new Sponsorship({ models, partners, environment: config.networkEnv, clock });
  const parts = { connection, models, chain, outbox, holders, sponsorship };
  const accounts = new Accounts(parts);
  const root = config.chain.coreIdRoot;
  const coreIdClaims = new CoreIdClaims({
    ...parts,
    coreIds,
    partnerLogins,
    secondFactor,
    recordWrites,
    root,
    publicUrl,
    clock,
  });
  outbox.handle('account', accounts.handler);
  outbox.handle('mint', coreIdClaims.handler);
  const { bundlerUrl } = config.chain;
  // The operator may choose a bundler on this machine, as for the node.
  const bundler = bundlerUrl === undefined ? undefined : rpcOver(guardedFetch({ allowLoopback: true }), bundlerUrl);
  const operations = new UserOperations({ ...parts, bundler, clock });
  outbox.handle('operation', operations.handler);
  return { accounts, coreIdClaims, chainRpc: new ChainRpc({ chain, holders, limits, operations, onError }) };
}

export const accountsDomain = {
  models: accountModels,
  services: accountServices,
  operations: accountOperations,
  routes: (services: AccountServices) => [...accountRoutes(services), rpcRoute(services)],
} as const;
