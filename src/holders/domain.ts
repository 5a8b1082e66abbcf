// The parts of the holders domain.
import type { Connection } from 'mongoose';
import type { Core } from '../http/core.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { PartnerTokens } from '../partners/token.service.js';
import { CoreIds } from './core-ids.service.js';
import { HoldersResolver } from './holders.resolver.js';
import { type HolderRouteServices, holdersRoutes } from './holders.routes.js';
import { Holders } from './holders.service.js';
import { keysRoutes } from './keys.routes.js';
import { Logins } from './login.service.js';
import { LoginMail } from './mail.service.js';
import { holderModels } from './models.js';
import { RateLimits } from './rate-limits.service.js';
import { Recipients } from './recipients.service.js';
import { SessionsResolver } from './sessions.resolver.js';
import { Sessions } from './sessions.service.js';
import { Wallets } from './wallets.service.js';

export interface HolderServices {
  holders: Holders;
  recipients: Recipients;
  sessions: Sessions;
  logins: Logins;
  wallets: Wallets;
  coreIds: CoreIds;
  loginMail: LoginMail;
  rateLimits: RateLimits;
}

function holderServices(core: Core, { partnerTokens }: { partnerTokens: PartnerTokens }): HolderServices {
  const { config, connection, box, signingKeys, problems, appendEvents, clock } = core;
  const { holderDidPrefix: didPrefix, holderDidType: didType, smtpUrl, mailFrom: from } = config;
  const models = holderModels(connection);
  const holders = new Holders({ models, box, didPrefix, didType, clock });
  const limits = new RateLimits(models, box, clock);
  const sessions = new Sessions(models, signingKeys, clock);
  const sandbox = config.networkEnv === 'sandbox';
  const mail = new LoginMail({ models, box, smtpUrl, from, sandbox, clock, problems });
  return {
    holders,
    sessions,
    loginMail: mail,
    rateLimits: limits,
    recipients: new Recipients(holders, limits, partnerTokens),
    logins: new Logins({ connection, models, box, holders, sessions, mail, limits, appendEvents, clock }),
    wallets: new Wallets({ connection, models, holders, limits, appendEvents, clock }),
    coreIds: new CoreIds({ connection, models, appendEvents, clock }),
  };
}

/** Pending logins, the sandbox's mailbox and rate limits are not sealed again; they expire. */
function sealedFields(connection: Connection): SealedField[] {
  const { holders, holderPartners } = holderModels(connection);
  return [
    { model: holders, field: 'sealedEmail', what: 'holder-email', name: 'e-mails of holders', hashField: 'emailHash' },
    { model: holders, field: 'sealedPrivateKey', what: 'holder-key', name: 'keys of holders' },
    { model: holderPartners, field: 'sealedPartnerUserId', what: 'partner-user-id', name: 'user ids of partners' },
  ];
}

export const holdersDomain = {
  models: holderModels,
  services: holderServices,
  resolvers: [HoldersResolver, SessionsResolver],
  routes: (services: HolderRouteServices & Pick<Core, 'signingKeys'>) => [
    ...keysRoutes(services),
    ...holdersRoutes(services),
  ],
  sealed: sealedFields,
} as const;
