// Members of issuers that only the role `all` may change: where the gateway sends API keys and holders' requests, and whose signatures count.
import type { IssuerRow, IssuerWallets } from '../rows/models.js';
import type { IssuerBody } from './bodies.js';
import { countingKeys } from './issuer-zk-keys.js';

/** Addresses of an issuer's back end. Each is sent the API key. */
export const ENDPOINTS = ['availableVcUrl', 'issueVcUrl', 'subjectUrl', 'credentialUrl'] as const;

type Endpoints = { [K in (typeof ENDPOINTS)[number]]?: string | null };
type Before = IssuerRow | undefined;

/** Members that only the role `all` may change, and whether a body changes them. */
export const GUARDED_MEMBERS: Readonly<Record<string, (body: IssuerBody, before: Before) => boolean>> = {
  managed: ({ managed }, before) => managed !== (before?.managed ?? false),
  issuerDid: ({ managed, issuerDid }, before) => !managed && issuerDid !== before?.issuerDid,
  availableVcUrl: ({ availableVcUrl }, before) => availableVcUrl !== (before?.availableVcUrl ?? null),
  issueVcUrl: ({ issueVcUrl }, before) => issueVcUrl !== (before?.issueVcUrl ?? null),
  subjectUrl: ({ subjectUrl }, before) => subjectUrl !== (before?.subjectUrl ?? null),
  credentialUrl: ({ credentialUrl }, before) => credentialUrl !== (before?.credentialUrl ?? null),
  // Any key counts as a change, so that the stored one cannot be found by guessing.
  apiKey: ({ apiKey }, before) => typeof apiKey === 'string' || (apiKey === null && before?.apiKeyHash !== undefined),
  anchors: ({ anchors }, before) => anchors.join() !== (before?.anchors ?? []).join(),
  walletIssuer: ({ walletIssuer }, before) => walletIssuer !== (before?.walletIssuer ?? null),
  wallets: ({ wallets }, before) =>
    JSON.stringify(walletsList(wallets)) !== JSON.stringify(walletsList(before?.wallets ?? null)),
  zkKeys: ({ zkKeys }, before) => namesOf(zkKeys) !== namesOf(before ? countingKeys(before) : []),
};

/** The terms for wallets in one order. */
export const walletsList = (wallets: IssuerWallets | null): unknown[] | null =>
  wallets && [wallets.profile, wallets.walletProviders, wallets.keyProviders];

const namesOf = (keys: IssuerBody['zkKeys']): string =>
  keys
    .map(({ kid, publicKeyMultibase }) => JSON.stringify([kid, publicKeyMultibase]))
    .sort()
    .join();

/** Whether an endpoint has an origin that none of the issuer's endpoints had before. */
export function hasNewOrigin(endpoints: Endpoints, before: Endpoints = {}): boolean {
  const known = originsOf(before);
  return originsOf(endpoints).some((origin) => !known.includes(origin));
}

const originsOf = (endpoints: Endpoints): string[] =>
  ENDPOINTS.flatMap((name) => {
    const url = endpoints[name];
    return url ? [new URL(url).origin] : [];
  });
