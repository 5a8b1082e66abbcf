// Composition of keys, partners and holders: everything about who calls and whose keys are whose, built from the configuration.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config.js';
import { keepSecret } from '../base/data-dir.js';
import type { ProblemReport } from '../base/problems.js';
import { EventLog } from '../events/event-log.service.js';
import { eventModels } from '../events/models.js';
import { CoreIds } from '../holders/core-ids.service.js';
import { Holders } from '../holders/holders.service.js';
import { Logins } from '../holders/login.service.js';
import { LoginMail } from '../holders/mail.service.js';
import { type HolderModels, holderModels } from '../holders/models.js';
import { RateLimits } from '../holders/rate-limits.service.js';
import { Recipients } from '../holders/recipients.service.js';
import { holderCredentials, Sessions } from '../holders/sessions.service.js';
import { Wallets } from '../holders/wallets.service.js';
import type { Credentials } from '../http/authenticate.js';
import { ManagedIssuers } from '../keys/managed-issuers.service.js';
import { keyModels } from '../keys/models.js';
import { SealedBox } from '../keys/sealed-box.js';
import { SigningKeys } from '../keys/signing-keys.service.js';
import { PartnerAdmin } from '../partners/admin.service.js';
import { PartnerDirectory } from '../partners/directory.service.js';
import { type GuardedFetch, guardedFetch } from '../partners/guarded-fetch.js';
import { PartnerKeySets } from '../partners/key-sets.js';
import { partnerModels } from '../partners/models.js';
import { partnerCredentials } from '../partners/partner-credentials.js';
import { PartnerTokens } from '../partners/token.service.js';

/** Services of keys, partners and holders. */
export interface IdentityServices {
  box: SealedBox;
  signingKeys: SigningKeys;
  managedIssuers: ManagedIssuers;
  /** Calls addresses that others registered. */
  outbound: GuardedFetch;
  partners: PartnerDirectory;
  partnerAdmin: PartnerAdmin;
  partnerTokens: PartnerTokens;
  holders: Holders;
  recipients: Recipients;
  sessions: Sessions;
  logins: Logins;
  wallets: Wallets;
  coreIds: CoreIds;
  loginMail: LoginMail;
}

/** Where the sandbox keeps its KEYSTORE_KEY, in DATA_DIR. */
export const KEYSTORE_KEY_FILE = 'keystore.key';

/** Builds the services. @throws DataDirError when the sandbox's own key cannot be kept. */
export function makeIdentity(
  config: Config,
  connection: Connection,
  { clock, problems }: { clock(): number; problems: ProblemReport },
): IdentityServices {
  const sandbox = config.networkEnv === 'sandbox';
  const box = new SealedBox(keystoreKeyOf(config));
  const signingKeys = new SigningKeys(keyModels(connection), box, clock);
  const outbound = guardedFetch({ allowLoopback: sandbox });
  const staleIfErrorMs = config.keySetStaleMs;
  const partners = makePartners(connection, { outbound, sandbox, staleIfErrorMs, clock, problems });
  const holders = makeHolders(config, connection, {
    box,
    signingKeys,
    clock,
    problems,
    partnerTokens: partners.partnerTokens,
  });
  const managedIssuers = new ManagedIssuers(signingKeys, config.publicUrl);
  return { box, signingKeys, managedIssuers, outbound, ...partners, ...holders };
}

/** How partners and holders show who they are. */
export function identityCredentials({
  partnerTokens,
  sessions,
}: IdentityServices): Record<'partner' | 'holder', Credentials> {
  return { partner: partnerCredentials(partnerTokens), holder: holderCredentials(sessions) };
}

/** KEYSTORE_KEY; the sandbox keeps one beside its data, production does not start without (config.ts). @throws DataDirError. */
export function keystoreKeyOf({ keystoreKey, dataDir }: Config): Buffer {
  return keystoreKey ?? Buffer.from(keepSecret(dataDir, KEYSTORE_KEY_FILE, 'base64'), 'base64');
}

interface PartnerParts {
  outbound: GuardedFetch;
  sandbox: boolean;
  staleIfErrorMs: number;
  clock(): number;
  problems: ProblemReport;
}

function makePartners(connection: Connection, { outbound, sandbox, staleIfErrorMs, clock, problems }: PartnerParts) {
  const models = partnerModels(connection);
  const partners = new PartnerDirectory(models);
  const keySets = new PartnerKeySets({ fetch: outbound, staleIfErrorMs, problems });
  return {
    partners,
    partnerTokens: new PartnerTokens(partners, keySets, clock),
    partnerAdmin: new PartnerAdmin({ models, directory: partners, sandbox, now: () => new Date(clock()) }),
  };
}

interface HolderParts {
  box: SealedBox;
  signingKeys: SigningKeys;
  partnerTokens: PartnerTokens;
  clock(): number;
  problems: ProblemReport;
}

function makeHolders(config: Config, connection: Connection, parts: HolderParts) {
  const { box, signingKeys, partnerTokens, clock, problems } = parts;
  const models: HolderModels = holderModels(connection);
  const { holderDidPrefix: didPrefix, holderDidType: didType, smtpUrl, mailFrom: from } = config;
  const sandbox = config.networkEnv === 'sandbox';
  const holders = new Holders({ models, box, didPrefix, didType, clock });
  const limits = new RateLimits(models, box, clock);
  const sessions = new Sessions(models, signingKeys, clock);
  const loginMail = new LoginMail({ models, box, smtpUrl, from, sandbox, clock, problems });
  const { append: appendEvents } = new EventLog(eventModels(connection), clock);
  return {
    holders,
    sessions,
    loginMail,
    recipients: new Recipients(holders, limits, partnerTokens),
    logins: new Logins({ connection, models, box, holders, sessions, mail: loginMail, limits, appendEvents, clock }),
    wallets: new Wallets({ connection, models, holders, limits, appendEvents, clock }),
    coreIds: new CoreIds({ connection, models, appendEvents, clock }),
  };
}
