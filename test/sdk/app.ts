// Apps with the library for apps, against a sandbox with a chain of its own.
import { resolve } from 'node:path';
import type * as Mobile from '../../src/sdk/mobile/index.js';
import type { TestGateway } from '../support/gateway.js';
import { freePorts } from '../support/gateway-process.js';
import { registerPartner, type TestPartner } from '../support/partner.js';
import { startSandbox } from './world.js';

export interface AppWorld {
  gateway: TestGateway;
  partner: TestPartner;
  lib: typeof Mobile;
  /** The value of PUBLIC_URL. */
  url: string;
}

export async function startAppWorld(env: Record<string, string>): Promise<AppWorld> {
  const [PORT = ''] = (await freePorts(1)).map(String);
  const url = `http://localhost:${PORT}`;
  const gateway = await startSandbox({ env: { PORT, PUBLIC_URL: url, ...env } });
  return { gateway, partner: await registerPartner(gateway), lib: await import(resolve('dist/sdk/mobile.js')), url };
}

export interface AppOptions {
  storage?: Mobile.StoragePort;
  passkeys?: Mobile.PasskeysPort;
  fetch?: typeof fetch;
  /** Replace what the user enters. */
  answers?: Record<string, (screen: never) => unknown>;
  env?: Mobile.Environment;
}

/** An app with what it showed and heard. */
export async function startApp({ gateway, partner, lib }: AppWorld, options: AppOptions = {}) {
  const seen: Mobile.Screen[] = [];
  const heard: string[] = [];
  let traded = false;
  const answers: Record<string, (screen: never) => unknown> = {
    'recovery-code': () => ({ kept: true }),
    consent: () => ({ consented: true }),
    trade: ({ quote, chosen }: { quote?: object; chosen: object }) => {
      if (quote && !traded) {
        traded = true;
        return { trade: true };
      }
      traded = false;
      return { choice: { ...chosen, amount: '10' } };
    },
    ...options.answers,
  };
  const present = async (screen: Mobile.Screen) => {
    seen.push(screen);
    return answers[screen.kind]?.(screen as never) as never;
  };
  const { storage, passkeys, fetch: send = fetch } = options;
  // Without the limit of 15 seconds: on a machine that stands still for a while, the library would ask its user again.
  const patient: typeof fetch = (input, init) => send(input, { ...init, signal: null });
  const core = new lib.CoreMobileService({ baseUrl: gateway.url, ports: { storage, passkeys, fetch: patient } });
  core.on((event) => heard.push(event.name));
  const navigatorKey = { current: { present: present as Mobile.Present } };
  await core.initialize({ partnerId: partner.partnerId, env: options.env ?? 'sandbox', navigatorKey });
  return { core, seen, heard };
}

export type App = Awaited<ReturnType<typeof startApp>>;

/** The last code that was mailed. */
export const codeFor = async ({ gateway }: AppWorld, email: string): Promise<string> =>
  (await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`)).body.messages.at(-1).code;

/** Logs in by the mailed code. */
export async function logInApp(world: AppWorld, { core }: App, email: string): Promise<Mobile.LoginResult> {
  return core.login({ authToken: await world.partner.token({ email }), onOtpRequest: () => codeFor(world, email) });
}

/** What a promise is rejected with. */
export const exceptionOf = (promise: Promise<unknown>): Promise<{ name: string; type: string; message: string }> =>
  promise.then(
    () => ({ name: 'none', type: '', message: '' }),
    ({ name, type, message }) => ({ name, type, message }),
  );
