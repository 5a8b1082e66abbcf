// Every row of the client library's tables, as a program of a partner writes it. It is compiled, not run.
import {
  type ClaimCoreIdOptions,
  type ClaimCoreIdResult,
  type CoreEvent,
  type CoreIdDetails,
  type CoreInitializationResult,
  type CoreLoginResult,
  CoreService,
  type CoreSessionConfig,
  type CoreUserDetails,
  type CoreWalletInitializedResult,
  type CredentialNetwork,
  type CredentialVerificationResult,
  type SupportedCurrencyCode,
} from '../../../src/sdk/web/index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => {};

same<CoreIdDetails['status'], 'minting' | 'minted'>(true);
same<CredentialNetwork, 'devnet' | 'testnet'>(true);
same<SupportedCurrencyCode, 'EUR' | 'USD' | 'CNY' | 'KRW' | 'TRY'>(true);
same<
  CredentialVerificationResult['status'],
  'Compliant' | 'Non-Compliant' | 'Pending' | 'Revoking' | 'Revoked' | 'Expired' | 'NotFound'
>(true);

export const TYPES: {
  coreId: CoreIdDetails[];
  user: CoreUserDetails[];
  initialization: CoreInitializationResult;
  login: CoreLoginResult;
  wallet: CoreWalletInitializedResult[];
  verification: CredentialVerificationResult[];
  claim: ClaimCoreIdResult;
  claimOptions: ClaimCoreIdOptions[];
  config: CoreSessionConfig;
} = {
  coreId: [
    { id: '1', node: '0x', status: 'minting', chainId: 1 },
    { id: '1', name: 'a', node: '0x', status: 'minted', chainId: 1, imageUrl: '' },
  ],
  user: [
    { user: { id: '', isMFASetup: false } },
    {
      partnerId: '',
      partnerUserId: '',
      coreId: { id: '1', node: '0x', status: 'minting', chainId: 1 },
      user: { id: '', abstractAccountAddress: '0x', email: '', isMFASetup: true },
    },
  ],
  initialization: { rehydrated: true },
  login: { isLoggedIn: true, id: '', abstractAccountAddress: '0x', token: '', isMFASetup: false },
  wallet: [
    { abstractAccountAddress: null, isMFASetup: false },
    { abstractAccountAddress: '0x', isMFASetup: true },
  ],
  verification: [
    { status: 'NotFound' },
    { status: 'Compliant', zkProofs: { a: 'b' }, transactionHash: '0x' },
    { status: 'Compliant', zkProofs: {}, transactionHash: '0x', cakPrivateKey: '' },
  ],
  claim: { coreId: { id: '1', node: '0x', status: 'minted', chainId: 1 } },
  claimOptions: [{}, { token: '' }, { background: false }, { token: '', background: true }],
  config: { locale: 'en', currency: 'EUR' },
};
// @ts-expect-error A claim in the background needs a token.
export const WITHOUT_TOKEN: ClaimCoreIdOptions = { background: true };

/** Each operation with its parameters and its result. */
export async function operations(): Promise<void> {
  const core = new CoreService({ partnerId: '' });
  same<typeof core.isInitialized | typeof core.isLoggedIn | typeof core.isWalletInitialized, boolean>(true);
  const login: CoreLoginResult | null = await core.init({
    buildEnv: core.buildEnv,
    credentialNetwork: 'devnet',
    enableLogging: false,
    skipRehydration: false,
    preloadWallet: false,
    preloadCredential: false,
    sessionConfig: { locale: 'en' },
  });
  const results: CoreLoginResult[] = [
    await core.login(),
    await core.login({ authToken: '' }),
    ...(login ? [login] : []),
  ];
  const deployed: boolean = await core.isSmartAccountDeployed();
  const { txHash }: { txHash: string } = await core.deploySmartAccount();
  same<ReturnType<typeof core.getProvider>, typeof core.provider>(true);
  const nothing: unknown[] = [
    await core.preloadWallet(),
    await core.preloadCredential(),
    await core.setupOrUpdateMfa(),
    await core.logout(),
    await core.cleanUp(),
    await core.showOnRampUI({ displayCurrencyCode: 'EUR', targetCurrencyCode: 'USD' }),
  ];
  const user: CoreUserDetails = await core.getUserInfo();
  const { urlWithToken }: { urlWithToken: string } = await core.goToPartner('https://shop.example');
  const { token }: { token: string } = await core.getAccessToken();
  const config: CoreSessionConfig = await core.updateSessionConfig({ currency: 'EUR' });
  const swap: { txHash: `0x${string}` } = await core.showSwapUI({
    initialFromToken: '',
    fallbackFromToken: '',
    initialToToken: '',
  });
  const { cakPublicKey }: { cakPublicKey?: string } = await core.issueCredential({
    authToken: '',
    issuerDid: '',
    credentialId: '',
    credentialSubject: { level: 1 },
    curve: 'secp256k1',
  });
  const verification: CredentialVerificationResult = await core.verifyCredential({
    authToken: '',
    programId: '',
    redirectUrl: 'https://shop.example',
  });
  const claim: ClaimCoreIdResult = await core.claimCoreId();
  core.on(listen);
  core.off(listen);
  core.clearEventListeners();
  void [results, deployed, txHash, nothing, user, urlWithToken, token, config, swap, cakPublicKey, verification, claim];
}

/** Each event with its payload. */
function listen(event: CoreEvent): void {
  if (event.event === 'initialized') same<typeof event.result, CoreInitializationResult>(true);
  if (event.event === 'logged_in') same<typeof event.result, CoreLoginResult>(true);
  if (event.event === 'wallet_initialized') same<typeof event.result, CoreWalletInitializedResult>(true);
  if (event.event === 'core_id_minting_failed') same<typeof event.errorMessage, string | undefined>(true);
  same<CoreEvent['event'] & ('core_id_minting_started' | 'logged_out'), 'core_id_minting_started' | 'logged_out'>(true);
}
