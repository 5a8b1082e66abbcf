// Every row of the mobile tables, as an app writes it. It is compiled, not run.
import {
  CoreEvent,
  CoreException,
  type CoreId,
  CoreInitializedEvent,
  CoreLoggedInEvent,
  CoreLoggedOutEvent,
  type CoreMobileService,
  CoreWalletInitializedEvent,
  type Environment,
  type EthereumRpcRequest,
  type EthereumRpcSuccessResponse,
  type ExceptionType,
  type LoginResult,
  type NavigatorKey,
  type UserInfo,
} from '../../../src/sdk/mobile/index.js';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_equal: Equal<A, B>): void => {};

same<Environment, 'staging' | 'uat' | 'sandbox' | 'production'>(true);
same<ExceptionType, 'client' | 'sdk' | 'server' | 'unknown'>(true);
same<CoreId['status'], 'minting' | 'minted'>(true);
same<CoreException['type'], ExceptionType>(true);
same<CoreException['message'], string>(true);
same<CoreLoggedInEvent['payload'], LoginResult>(true);

export const TYPES: {
  login: LoginResult[];
  coreId: CoreId[];
  user: UserInfo[];
  request: EthereumRpcRequest[];
  response: EthereumRpcSuccessResponse;
  events: CoreEvent[];
} = {
  login: [
    { isLoggedIn: false },
    { isLoggedIn: true, id: '', abstractAccountAddress: '0x', token: '', isMFASetup: true },
  ],
  coreId: [
    { id: '1', name: '', node: '0x', status: 'minting' },
    { id: '1', name: 'a', node: '0x', status: 'minted', chainId: 1, imageUrl: '' },
  ],
  user: [{}, { user: { id: '', isMFASetup: false }, partnerId: '', partnerUserId: '' }],
  request: [
    { method: 'eth_chainId', params: [] },
    { method: 'eth_call', params: [{}], requestId: '1' },
  ],
  response: { response: 1n },
  events: [
    new CoreInitializedEvent(),
    new CoreLoggedInEvent({ isLoggedIn: true }),
    new CoreLoggedOutEvent(),
    new CoreWalletInitializedEvent(),
  ],
};

/** Each operation with its parameters and its result. */
export async function operations(core: CoreMobileService, navigatorKey: NavigatorKey): Promise<void> {
  same<typeof core.isInitialized, boolean>(true);
  same<typeof core.coreEvents, AsyncIterable<CoreEvent>>(true);
  same<Awaited<ReturnType<typeof core.getBalance>>, bigint>(true);
  const nothing: undefined[] | unknown[] = [
    await core.initialize({ partnerId: '', navigatorKey }),
    await core.initialize({ partnerId: '', env: 'uat', navigatorKey, enableLogging: true }),
    await core.preloadWallet(),
    await core.setupOrUpdateMfa(),
    await core.logout(),
    await core.showSwapUi(),
    await core.showOnRampUi({ displayCurrencyCode: 'EUR' }),
    await core.showOnRampUi({ displayCurrencyCode: 'EUR', targetCurrencyCode: 'TUSD' }),
    await core.cleanup(),
  ];
  const results: LoginResult[] = [
    await core.login({ authToken: '' }),
    await core.login({ authToken: '', onOtpRequest: async ({ email, attempt }) => (attempt > 3 ? null : email) }),
    await core.rehydrate(),
  ];
  const user: UserInfo = await core.getUserInfo();
  const address: string | undefined = await core.getAbstractAccountAddress();
  const accounts: string[] = await core.getAccounts();
  const responses: EthereumRpcSuccessResponse[] = [
    await core.call('0x', 'balanceOf', ['0x'], '[]'),
    await core.sendEthereumRpcRequest({ method: 'eth_chainId', params: [] }),
  ];
  const texts: string[] = [
    await core.signMessage(''),
    await core.sendTransaction({ to: '0x', value: 1n, data: '0x' }),
    await core.deploySmartAccount(),
  ];
  const deployed: boolean = await core.isSmartAccountDeployed();
  core.on(listen);
  core.off(listen);
  core.clearEventListeners();
  void [nothing, results, user, address, accounts, responses, texts, deployed];
}

function listen(event: CoreEvent): void {
  if (event instanceof CoreLoggedInEvent) same<typeof event.payload.isLoggedIn, boolean>(true);
}
