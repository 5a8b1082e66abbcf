// The parts of the holders domain.
import type { Connection } from 'mongoose';
import type { Retention } from '../base/config/retention-config.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { Chain } from '../chain/chain.service.js';
import type { ContractSignatures } from '../chain/signatures.service.js';
import type { Core } from '../compose/domain.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { PartnerTokens } from '../partners/token.service.js';
import type { RetentionRule } from '../store/retention.js';
import { AccountLogins } from './account-login.js';
import { ClientConfigs } from './client-config.js';
import { clientRoutes } from './client.routes.js';
import { CoreIds } from './core-ids.service.js';
import { EmailProofs } from './email-proofs.service.js';
import { holderEraser } from './forget.service.js';
import { HolderAccounts, ACCOUNTS_OF_KEYS } from './holder-accounts.service.js';
import { HolderKeys } from './holder-keys.js';
import { type HolderRouteServices, holdersRoutes } from './holders.routes.js';
import { Holders } from './holders.service.js';
import { KeyBackups } from './key-backups.js';
import { keyOperations } from './key-operations.js';
import { keysRoutes } from './keys.routes.js';
import { Logins } from './login.js';
import { LoginMail } from './mail.service.js';
import { holderModels } from './models.js';
import { holderOperations } from './operations.js';
import { PartnerLinks } from './partner-links.js';
import { partnerLinkRoutes } from './partner-links.routes.js';
import { MfaResets } from './mfa-resets.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { passkeyOperations } from './passkey-operations.js';
import { Notices } from './notices.js';
import { Passkeys } from './passkeys.js';
import { PartnerLogins } from './partner-logins.service.js';
import { Recipients } from './recipients.js';
import { SecondFactor } from './second-factor.service.js';
import { sessionOperations } from './session-operations.js';
import { SessionOpener } from './session-opening.js';
import { Sessions } from './sessions.js';
import { walletOperations } from './wallet-operations.js';
import { Wallets } from './wallets.js';
import { WrongCodes } from './wrong-codes.js';
import { relyingPartyOf } from './webauthn.js';

export interface HolderServices {
  holders: Holders;
  holderKeys: HolderKeys;
  recipients: Recipients;
  sessions: Sessions;
  logins: Logins;
  emailProofs: EmailProofs;
  accountLogins: AccountLogins;
  partnerLogins: PartnerLogins;
  partnerLinks: PartnerLinks;
  holderAccounts: HolderAccounts;
  wallets: Wallets;
  keyBackups: KeyBackups;
  secondFactor: SecondFactor;
  passkeys: Passkeys;
  mfaResets: MfaResets;
  coreIds: CoreIds;
  loginMail: LoginMail;
  clientConfigs: ClientConfigs;
}

interface Left {
  partners: PartnerDirectory;
  partnerTokens: PartnerTokens;
  chain: Chain;
  contractSignatures: ContractSignatures;
}

function holderServices(core: Core, left: Left): HolderServices {
  const { partners, partnerTokens, chain, contractSignatures: signatures } = left;
  const { config, connection, box, signingKeys, problems, appendEvents, recordWrites, clock, publicUrl, onError } =
    core;
  const { rateLimits: limits } = core;
  const { holderDidPrefix: didPrefix, holderDidType: didType, smtpUrl, mailFrom: from } = config;
  const models = holderModels(connection);
  core.erasers.add(holderEraser(connection, box));
  const holders = new Holders({ models, box, recordWrites, didPrefix, didType, clock });
  const sessions = new Sessions(models, partners, signingKeys, config.retention.sessionMs, clock);
  const sandbox = config.networkEnv === 'sandbox';
  const mail = new LoginMail({
    ...{ models, box, smtpUrl, from, sandbox, clock, problems },
    retentionMs: config.retention.mailboxMs,
  });
  const accounts = new HolderAccounts({ connection, models, chain, clock });
  const partnerLogins = new PartnerLogins(models, clock);
  const opener = new SessionOpener({ connection, partners, sessions, partnerLogins, appendEvents });
  const people = { models, holders, limits, clock };
  const relyingParty = relyingPartyOf(publicUrl, config.passkeyRpId);
  const challenges = new PasskeyChallenges({ models, partners, limits, relyingParty, clock });
  const secondFactor = new SecondFactor({ connection, models, sessions, challenges, limits, clock });
  const notices = new Notices({ holders, partners, mail, publicUrl, clock, onError });
  const keyBackups = new KeyBackups({ models, secondFactor, notices, clock });
  const results = core.metrics.counter('login_codes_total', 'Mailed codes that were sent back', ['result']);
  const wrongCodes = new WrongCodes({ limits, perHour: config.wrongCodesPerHour, results });
  const logins = new Logins({ ...people, connection, box, sessions, opener, mail, wrongCodes, appendEvents });
  return {
    holders,
    holderKeys: new HolderKeys({ models, holders, secondFactor, box, clock }),
    sessions,
    partnerLogins,
    partnerLinks: new PartnerLinks({ ...people, partners, opener, publicUrl }),
    holderAccounts: accounts,
    loginMail: mail,
    recipients: new Recipients(holders, limits, partnerTokens),
    logins,
    emailProofs: new EmailProofs(logins),
    accountLogins: new AccountLogins({ ...people, accounts, signatures, chain, opener, publicUrl }),
    wallets: new Wallets({ ...people, connection, accounts, secondFactor, signatures, notices, appendEvents }),
    secondFactor,
    keyBackups,
    passkeys: new Passkeys({ models, holders, challenges, secondFactor, keyBackups, notices, clock }),
    mfaResets: new MfaResets({ connection, models, holders, sessions, notices, recordWrites }),
    clientConfigs: new ClientConfigs({
      ...{ partners, publicUrl, relyingParty },
      ...{ chain: config.chain, networkEnv: config.networkEnv },
    }),
    coreIds: new CoreIds({ connection, models, chain, appendEvents, recordWrites, clock }),
  };
}

/** The sealed fields of holders. Pending logins, the sandbox's mailbox and rate limits are not included: they expire. */
function sealedFields(connection: Connection): SealedField[] {
  const { holders, holderPartners } = holderModels(connection);
  return [
    { model: holders, field: 'sealedEmail', what: 'holder-email', name: 'e-mails of holders', hashField: 'emailHash' },
    { model: holders, field: 'sealedPrivateKey', what: 'holder-key', name: 'keys of holders' },
    { model: holderPartners, field: 'sealedPartnerUserId', what: 'partner-user-id', name: 'user ids of partners' },
  ];
}

function retained(connection: Connection, { sessionMs, mailboxMs }: Retention): RetentionRule[] {
  const { sessions, mails } = holderModels(connection);
  return [
    { model: sessions, end: 'expiresAt', ms: sessionMs, formerMs: 30 * 86_400_000 },
    { model: mails, end: 'expiresAt', ms: mailboxMs, formerMs: 15 * 60_000 },
  ];
}

export const holdersDomain = {
  models: holderModels,
  services: holderServices,
  operations: [...holderOperations, ...sessionOperations, ...keyOperations, ...passkeyOperations, ...walletOperations],
  routes: (
    services: HolderRouteServices & Pick<Core, 'signingKeys'> & Pick<HolderServices, 'clientConfigs' | 'partnerLinks'>,
  ) => [...clientRoutes(services), ...keysRoutes(services), ...holdersRoutes(services), ...partnerLinkRoutes(services)],
  workers: ({ onError }: Core, { holderAccounts }: HolderServices): Worker[] => [holderAccounts.worker(onError)],
  rowUpdates: [ACCOUNTS_OF_KEYS],
  sealed: sealedFields,
  retained,
} as const;
