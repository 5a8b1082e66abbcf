// The library for apps, in Node: each row of the table of operations in docs/sdk.md against a sandbox with a chain of its own.
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createPublicClient, type Hex, http, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as Mobile from '../../src/sdk/mobile/index.js';
import type * as MobileNode from '../../src/sdk/mobile/node.js';
import { EventStream } from '../../src/wallet/mobile/event-stream.js';
import { ANVIL } from '../support/anvil.js';
import { fileEnd, scratchFolder } from '../support/process.js';
import {
  type App,
  type AppOptions,
  type AppWorld,
  codeFor,
  exceptionOf,
  logInApp,
  startApp,
  startAppWorld,
} from './app.js';

const ERC20 = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
]);
const DOLLARS = parseAbi(['function dollars() view returns (address)']);
const SOMEBODY: Hex = '0x00000000000000000000000000000000000000bb';

it('A stream throws once more than 1,000 events wait, and not before', async () => {
  const stream = new EventStream<number>();
  const [slow, quick] = [stream[Symbol.asyncIterator](), stream[Symbol.asyncIterator]()];
  for (let event = 0; event < 1_000; event += 1) stream.push(event);
  for (let event = 0; event < 1_000; event += 1) expect((await quick.next()).value).toBe(event);
  stream.push(1_000);
  expect((await quick.next()).value).toBe(1_000);
  await expect(slow.next()).rejects.toThrow('1000');
  stream.end();
  expect((await quick.next()).done).toBe(true);
});

describe.skipIf(ANVIL === undefined)('The library for apps', () => {
  let world: AppWorld;
  let node: typeof MobileNode;
  let client: ReturnType<typeof createPublicClient>;
  const { atEnd, end } = fileEnd();
  const folder = scratchFolder(atEnd);
  const data = join(folder, 'data');
  beforeAll(async () => {
    world = await startAppWorld({ DATA_DIR: data });
    node = await import(resolve('dist/sdk/mobile-node.js'));
  });
  afterAll(async () => {
    await world?.gateway.close();
    end();
  });

  const chain = () => {
    const { port } = JSON.parse(readFileSync(join(data, 'chain', 'devnet.json'), 'utf8'));
    client ??= createPublicClient({ transport: http(`http://127.0.0.1:${port}`) });
    return client;
  };
  let people = 0;

  const start = (options?: AppOptions) => startApp(world, options);
  async function logIn(app: App, email = `app${++people}@example.org`): Promise<string> {
    await logInApp(world, app, email);
    return email;
  }

  it('logs in with a partner token and the code that the app asks for, and asks again after a wrong code', async () => {
    const app = await start();
    expect(app.core.isInitialized).toBe(true);
    expect(await app.core.rehydrate()).toEqual({ isLoggedIn: false });
    const email = 'ada@example.org';
    const asked: unknown[] = [];
    const login = await app.core.login({
      authToken: await world.partner.token({ email, partnerUserId: 'u-7' }),
      onOtpRequest: async (request) => {
        asked.push(request);
        const code = await codeFor(world, email);
        return request.attempt === 1 ? code.replace(/^./, (digit) => String((Number(digit) + 1) % 10)) : code;
      },
    });
    expect(login).toMatchObject({
      isLoggedIn: true,
      id: expect.any(String),
      token: expect.any(String),
      isMFASetup: false,
    });
    expect(asked).toEqual([
      { email, attempt: 1 },
      { email, attempt: 2 },
    ]);
    expect(app.seen).toEqual([]);
    expect(await app.core.getUserInfo()).toMatchObject({
      partnerId: world.partner.partnerId,
      partnerUserId: 'u-7',
      user: { id: login.id, email, isMFASetup: false },
    });
    expect(await app.core.getAccounts()).toEqual([]);
    expect(await app.core.getAbstractAccountAddress()).toBeUndefined();
    expect(await app.core.isSmartAccountDeployed()).toBe(false);
    await app.core.logout();
    expect(app.heard).toEqual(['CoreInitializedEvent', 'CoreLoggedInEvent', 'CoreLoggedOutEvent']);
    expect(await app.core.rehydrate()).toEqual({ isLoggedIn: false });
  });

  it('signs, deploys, buys, sends and swaps with the account', async () => {
    const app = await start();
    await logIn(app);
    const signature = (await app.core.signMessage('hello')) as Hex;
    expect(app.seen.map(({ kind }) => kind)).toEqual(['recovery-code', 'consent']);
    expect(app.heard).toContain('CoreWalletInitializedEvent');
    const [address] = (await app.core.getAccounts()) as [Hex];
    expect(await app.core.getAbstractAccountAddress()).toBe(address);
    expect(await chain().verifyMessage({ address, message: 'hello', signature })).toBe(true);
    if (!(await app.core.isSmartAccountDeployed())) await app.core.deploySmartAccount();
    expect(await app.core.isSmartAccountDeployed()).toBe(true);
    expect(await exceptionOf(app.core.deploySmartAccount())).toMatchObject({ type: 'server' });
    await app.core.showOnRampUi({ displayCurrencyCode: 'USD' });
    const { venue } = (await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partner.partnerId}`)).body;
    const dollars = (await app.core.call(venue, 'dollars', [], JSON.stringify(DOLLARS))).response as Hex;
    const held = async () => (await app.core.call(dollars, 'balanceOf', [address], JSON.stringify(ERC20))).response;
    expect(await held()).toBe(10_000_000n);
    const word = (value: string) => value.replace(/^0x/, '').padStart(64, '0');
    const transfer = `0xa9059cbb${word(SOMEBODY)}${word((1_000_000).toString(16))}`;
    const hash = (await app.core.sendTransaction({ to: dollars, data: transfer })) as Hex;
    expect(await chain().getTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await held()).toBe(9_000_000n);
    expect(await app.core.getBalance(address)).toBe(0n);
    await app.core.showOnRampUi({ displayCurrencyCode: 'USD', targetCurrencyCode: 'TUSD' });
    await app.core.showSwapUi();
    expect(await held()).toBe(9_000_000n);
    const { response } = await app.core.sendEthereumRpcRequest({ method: 'eth_chainId', params: [], requestId: '1' });
    expect(response).toBe('0x7a69');
  });

  it('goes on from a file of mode 0600, and on another device by the recovery code', async () => {
    const file = join(folder, 'app', 'storage.json');
    let code = '';
    const first = await start({
      storage: node.fileStorage(file),
      answers: {
        'recovery-code': (screen: { code: string }) => {
          code = screen.code;
          return { kept: true };
        },
      },
    });
    const email = await logIn(first);
    await first.core.signMessage('one');
    const accounts = await first.core.getAccounts();
    await first.core.cleanup();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await start({ storage: node.fileStorage(file) });
    expect(await second.core.rehydrate()).toMatchObject({ isLoggedIn: true, abstractAccountAddress: accounts[0] });
    await second.core.signMessage('two');
    expect(second.seen.map(({ kind }) => kind)).toEqual(['consent']);
    const other = await start({ answers: { recover: () => ({ code }) } });
    await logIn(other, email);
    await other.core.signMessage('three');
    expect(other.seen.map(({ kind }) => kind)).toEqual(['recover', 'consent']);
    expect(await other.core.getAccounts()).toEqual(accounts);
  });

  it.each<[string, string, (app: App) => Promise<unknown>]>([
    [
      'a code that is not given',
      'client',
      async ({ core }) =>
        core.login({ authToken: await world.partner.token({ email: 'no@example.org' }), onOtpRequest: () => null }),
    ],
    ['a call without a login', 'client', ({ core }) => core.getUserInfo()],
    ['a call for a second factor without a login', 'client', ({ core }) => core.setupOrUpdateMfa()],
    [
      'a function that the ABI has not',
      'client',
      async (app) => {
        await logIn(app);
        return app.core.call(SOMEBODY, 'nothing', [], '[]');
      },
    ],
    [
      'a method that there is not',
      'client',
      async (app) => {
        await logIn(app);
        return app.core.sendEthereumRpcRequest({ method: 'eth_sign', params: [] });
      },
    ],
    [
      'a partner token that is none',
      'client',
      ({ core }) => core.login({ authToken: 'nonsense', onOtpRequest: () => '000000' }),
    ],
  ])('rejects %s with the type %s', async (_name, type, act) => {
    expect(
      await exceptionOf(act(await start({ answers: { email: () => ({ email: 'x@example.org' }) } }))),
    ).toMatchObject({ name: 'CoreException', type });
  });

  it('rejects a declined signature as client, a wrong environment, and every call before initialize', async () => {
    const app = await start({
      answers: {
        consent: () => {
          throw new Error('declined');
        },
      },
    });
    await logIn(app);
    expect(await exceptionOf(app.core.signMessage('no'))).toMatchObject({ type: 'client' });
    expect(await exceptionOf(start({ env: 'production' }))).toMatchObject({
      type: 'client',
      message: expect.stringContaining('env'),
    });
    const fresh = new world.lib.CoreMobileService({ baseUrl: world.gateway.url });
    expect(await exceptionOf(fresh.rehydrate())).toMatchObject({ type: 'client', message: 'Call initialize first.' });
  });

  it('rejects what it asks of a user who logs out, whose late answer counts for nobody', async () => {
    const held: ((answer: object) => void)[] = [];
    const app = await start({ answers: { consent: () => new Promise((resolve) => held.push(resolve)) } });
    /** In a list, because the promise is to be returned, not awaited. */
    const asking = async (count: number): Promise<Promise<{ message: string }>[]> => {
      await logIn(app);
      const signing = exceptionOf(app.core.signMessage('hello'));
      await expect.poll(() => held.length, { timeout: 60_000 }).toBe(count);
      return [signing];
    };
    const [first] = await asking(1);
    await app.core.logout();
    expect(await first).toMatchObject({ type: 'client', message: expect.stringContaining('Nobody is logged in') });
    const [second] = await asking(2);
    held[0]?.({ consented: true });
    await setImmediate();
    await app.core.logout();
    expect(await second).toMatchObject({ type: 'client', message: expect.stringContaining('Nobody is logged in') });
  });

  it('rejects storage that fails as sdk, and a gateway that cannot be reached as unknown', async () => {
    const broken: Mobile.StoragePort = { read: async () => undefined, write: () => Promise.reject(new Error('full')) };
    const app = await start({ storage: broken });
    expect(await exceptionOf(logIn(app))).toMatchObject({ type: 'sdk' });
    expect(await exceptionOf(start({ storage: { ...broken, read: async () => '{' } }))).toMatchObject({ type: 'sdk' });
    const away = new world.lib.CoreMobileService({ baseUrl: 'http://127.0.0.1:9' });
    const options = { partnerId: world.partner.partnerId, navigatorKey: { current: null } };
    expect(await exceptionOf(away.initialize(options))).toMatchObject({ type: 'unknown' });
  });

  it('streams events from the start of an iteration until cleanup', async () => {
    const { core } = await start();
    const names: string[] = [];
    const reading = (async () => {
      for await (const event of core.coreEvents) names.push(event.name);
    })();
    const late = core.coreEvents[Symbol.asyncIterator]();
    const email = 'stream@example.org';
    await core.login({ authToken: await world.partner.token({ email }), onOtpRequest: () => codeFor(world, email) });
    await core.logout();
    await core.cleanup();
    await reading;
    expect(names).toEqual(['CoreLoggedInEvent', 'CoreLoggedOutEvent']);
    expect((await late.next()).value).toBeInstanceOf(world.lib.CoreLoggedInEvent);
  });
});
