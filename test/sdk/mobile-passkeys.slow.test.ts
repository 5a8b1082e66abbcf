// Passkeys in apps: a software authenticator with PRF, in Node.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { createPublicClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PasskeyResponse, PasskeysPort, Screen } from '../../src/sdk/mobile/index.js';
import { ANVIL } from '../support/anvil.js';
import { Authenticator } from '../support/authenticator.js';
import { fileEnd, scratchFolder } from '../support/process.js';
import { type AppWorld, exceptionOf, logInApp, startApp, startAppWorld } from './app.js';

/** The passkeys of a device, what was asked of it, and the PRF outputs that it gave. At creation these are false, as those of some authenticators. */
class Device implements PasskeysPort {
  readonly asked: string[] = [];
  readonly outputs: string[] = [];
  /** What the user declines. */
  declines: readonly string[] = [];
  readonly #authenticator = new Authenticator();

  constructor(
    public origin: string,
    private readonly hasPrf = true,
  ) {}

  #ask(what: string): void {
    this.asked.push(what);
    if (this.declines.includes(what)) throw new DOMException('declined', 'NotAllowedError');
  }

  async create(options: Record<string, unknown>): Promise<PasskeyResponse> {
    this.#ask('create');
    const made = this.#authenticator.create(options as never, { origin: this.origin });
    const prf = { enabled: true, results: { first: Buffer.alloc(32).toString('base64url') } };
    return this.hasPrf ? { ...made, clientExtensionResults: { prf } } : made;
  }

  async get(options: Record<string, unknown>): Promise<PasskeyResponse> {
    this.#ask('get');
    const used = this.#authenticator.get(options as never, { origin: this.origin });
    if (!this.hasPrf) return used;
    const { prf } = options.extensions as { prf: { eval: { first: string } } };
    const output = this.#authenticator.prf(used.id, Buffer.from(prf.eval.first, 'base64url'));
    this.outputs.push(output.toString('base64url'), output.toString('base64'), output.toString('hex'));
    return { ...used, clientExtensionResults: { prf: { results: { first: output.toString('base64url') } } } };
  }
}

const kinds = (seen: readonly Screen[]): string[] => seen.map(({ kind }) => kind);

describe.skipIf(ANVIL === undefined)('A passkey in an app', () => {
  let world: AppWorld;
  const { atEnd, end } = fileEnd();
  const DATA_DIR = join(scratchFolder(atEnd), 'data');
  beforeAll(async () => {
    world = await startAppWorld({ DATA_DIR });
  });
  afterAll(async () => {
    await world?.gateway.close();
    end();
  });

  const isSignedBy = async (address: string, signature: string): Promise<boolean> => {
    const { port } = JSON.parse(readFileSync(join(DATA_DIR, 'chain', 'devnet.json'), 'utf8'));
    const client = createPublicClient({ transport: http(`http://127.0.0.1:${port}`) });
    return client.verifyMessage({ address: address as Hex, message: 'hello', signature: signature as Hex });
  };
  /** Answers of the list of passkeys, one after the other. */
  const changing = (...answers: object[]) => ({ passkeys: () => answers.shift() ?? { done: true } });

  it('opens the same account by one touch after the storage is gone, and no request has its PRF output', async () => {
    const device = new Device(world.url);
    const sent: string[] = [];
    const spying: typeof fetch = (input, init) => {
      sent.push(`${String(input)} ${JSON.stringify(init?.headers)} ${String(init?.body)}`);
      return fetch(input, init);
    };
    const first = await startApp(world, { passkeys: device, fetch: spying });
    expect(await logInApp(world, first, 'touch@example.org')).toMatchObject({ isMFASetup: false });
    await first.core.setupOrUpdateMfa();
    expect(device.asked).toEqual(['create', 'get']);
    expect(first.heard).toContain('CoreWalletInitializedEvent');
    expect((await first.core.getUserInfo()).user).toMatchObject({ isMFASetup: true });
    const accounts = await first.core.getAccounts();
    expect(await isSignedBy(accounts[0] ?? '', await first.core.signMessage('hello'))).toBe(true);
    expect(kinds(first.seen)).toEqual(['consent']);
    const second = await startApp(world, { passkeys: device, fetch: spying });
    expect(await logInApp(world, second, 'touch@example.org')).toMatchObject({ isMFASetup: true });
    expect(await isSignedBy(accounts[0] ?? '', await second.core.signMessage('hello'))).toBe(true);
    expect(await second.core.getAccounts()).toEqual(accounts);
    expect(kinds(second.seen)).toEqual(['consent']);
    expect(device.asked).toEqual(['create', 'get', 'get']);
    expect(device.outputs.length).toBeGreaterThan(0);
    expect(device.outputs.filter((output) => sent.some((request) => request.includes(output)))).toEqual([]);
  });

  it('without PRF counts as the second factor, and the recovery code opens', async () => {
    const device = new Device(world.url, false);
    let code = '';
    const keep = (screen: { code: string }) => {
      code = screen.code;
      return { kept: true };
    };
    const first = await startApp(world, { passkeys: device, answers: { 'recovery-code': keep } });
    await logInApp(world, first, 'plain@example.org');
    await first.core.setupOrUpdateMfa();
    expect(kinds(first.seen)).toEqual(['recovery-code']);
    expect((await first.core.getUserInfo()).user).toMatchObject({ isMFASetup: true });
    const second = await startApp(world, { passkeys: device, answers: { recover: () => ({ code }) } });
    expect(await logInApp(world, second, 'plain@example.org')).toMatchObject({ isMFASetup: true });
    await second.core.signMessage('hello');
    expect(kinds(second.seen)).toEqual(['recover', 'consent']);
    expect(await second.core.getAccounts()).toEqual(await first.core.getAccounts());
  });

  it('can be declined for a recovery code, added later, declined again for the code, and removed', async () => {
    const device = new Device(world.url);
    device.declines = ['create'];
    let code = '';
    const keep = (screen: { code: string }) => {
      code = screen.code;
      return { kept: true };
    };
    const answers = { 'recovery-code': keep, recover: () => ({ code }) };
    const first = await startApp(world, { passkeys: device, answers: { ...answers, ...changing({ add: true }) } });
    await logInApp(world, first, 'later@example.org');
    await first.core.signMessage('hello');
    expect(kinds(first.seen)).toEqual(['recovery-code', 'consent']);
    expect(await exceptionOf(first.core.setupOrUpdateMfa())).toMatchObject({ type: 'client' });
    device.declines = [];
    const again = await startApp(world, { passkeys: device, answers: { ...answers, ...changing({ add: true }) } });
    await logInApp(world, again, 'later@example.org');
    await again.core.setupOrUpdateMfa();
    expect(kinds(again.seen)).toEqual(['recover', 'passkeys', 'passkeys']);
    const [, , listed] = again.seen as { passkeys?: { id: string; isLast: boolean }[] }[];
    expect(listed?.passkeys).toMatchObject([{ isLast: false }]);
    const byTouch = await startApp(world, { passkeys: device });
    await logInApp(world, byTouch, 'later@example.org');
    await byTouch.core.signMessage('hello');
    expect(kinds(byTouch.seen)).toEqual(['consent']);
    device.declines = ['get'];
    const remove = changing({ remove: listed?.passkeys?.[0]?.id });
    const byCode = await startApp(world, { passkeys: device, answers: { ...answers, ...remove } });
    await logInApp(world, byCode, 'later@example.org');
    await byCode.core.signMessage('hello');
    expect(kinds(byCode.seen)).toEqual(['recover', 'consent']);
    expect(await exceptionOf(byCode.core.setupOrUpdateMfa())).toMatchObject({ type: 'client' });
    expect((await byCode.core.getUserInfo()).user).toMatchObject({ isMFASetup: false });
  });

  it('that the gateway refuses is asked for once, and rejects as client', async () => {
    const device = new Device('https://elsewhere.example');
    const first = await startApp(world, { passkeys: device });
    await logInApp(world, first, 'elsewhere@example.org');
    expect(await exceptionOf(first.core.setupOrUpdateMfa())).toMatchObject({ name: 'CoreException', type: 'client' });
    device.origin = world.url;
    await first.core.setupOrUpdateMfa();
    device.origin = 'https://elsewhere.example';
    device.asked.length = 0;
    const second = await startApp(world, { passkeys: device });
    await logInApp(world, second, 'elsewhere@example.org');
    expect(await exceptionOf(second.core.signMessage('hello'))).toMatchObject({ type: 'client' });
    expect(device.asked).toEqual(['get']);
  });

  it.each([
    ['done', { done: true }],
    ['adding one', { add: true }],
  ])('cannot be there without the port: %s rejects as client', async (name, answer) => {
    const app = await startApp(world, { answers: changing(answer) });
    await logInApp(world, app, `none-${name.length}@example.org`);
    expect(await exceptionOf(app.core.setupOrUpdateMfa())).toMatchObject({ name: 'CoreException', type: 'client' });
    expect(kinds(app.seen)).toEqual(['recovery-code', 'passkeys']);
  });
});
