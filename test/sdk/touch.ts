// Virtual authenticators of Chromium, and what scripts can see of a passkey's PRF outputs.
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { approvalOf, approve } from './approvals.js';

/** The page whose authenticator a profile has. */
const devices = new WeakMap<BrowserContext, Page>();

/**
 * Gives the windows of a page's wallet an authenticator, whose user touches it and is verified at once. Chromium's belong to one page, and windows
 * come and go, so they pass their calls on to a page of the gateway's origin that stays.
 */
export async function addAuthenticator(page: Page, { hasPrf = true } = {}): Promise<CDPSession> {
  const context = page.context();
  const { origin } = new URL((await page.locator('iframe[title="Wallet"]').last().getAttribute('src')) ?? '');
  const device = await context.newPage();
  await device.goto(`${origin}/wallet/`);
  await device.evaluate(PACK);
  if (!devices.has(context)) {
    await context.exposeBinding('touchDevice', (_source, kind: string, options: string) =>
      devices.get(context)?.evaluate(`touched('${kind}', ${JSON.stringify(options)})`),
    );
    await context.addInitScript(`if (window.opener) { ${PACK} ${PASS_ON} }`);
  }
  devices.set(context, device);
  const session = await context.newCDPSession(device);
  await session.send('WebAuthn.enable', { enableUI: false });
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      hasPrf,
    },
  });
  return session;
}

/** The page whose authenticator a page has: what scripts of the window would see of it. */
export const deviceOf = (page: Page): Page => devices.get(page.context()) ?? page;

/** Calls of WebAuthn and their results as text. */
const PACK = `
  window.pack = (value) => JSON.stringify(value, (_name, one) => {
    const bytes = one instanceof ArrayBuffer ? new Uint8Array(one) : ArrayBuffer.isView(one) ? new Uint8Array(one.buffer, one.byteOffset, one.byteLength) : undefined;
    return bytes ? { bytes: [...bytes] } : one;
  });
  window.unpack = (text) => JSON.parse(text, (_name, one) => (one?.bytes ? new Uint8Array(one.bytes).buffer : one));
  window.touched = async (kind, options) => {
    try {
      const credential = await navigator.credentials[kind]({ publicKey: unpack(options) });
      const { id, rawId, type, authenticatorAttachment, response } = credential;
      const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = response;
      const parts = { clientDataJSON, attestationObject, authenticatorData, signature, userHandle };
      const transports = response.getTransports?.();
      return pack({ value: { id, rawId, type, authenticatorAttachment, parts, transports, results: credential.getClientExtensionResults() } });
    } catch ({ name, message }) {
      return pack({ name, message });
    }
  };`;

/** In the window: calls go to the device. */
const PASS_ON = `
  const { prototype } = CredentialsContainer;
  for (const kind of ['create', 'get']) {
    prototype[kind] = async ({ publicKey }) => {
      const { value, name, message } = unpack(await touchDevice(kind, pack(publicKey)));
      if (value === undefined) throw new DOMException(message, name);
      const { parts, transports, results, ...credential } = value;
      const response = { ...parts, getTransports: () => transports };
      return { ...credential, response, getClientExtensionResults: () => results };
    };
  }`;

/** Clicks the button of a screen that asks for a touch, once it takes clicks. */
export async function touch(page: Page, name: string | RegExp): Promise<void> {
  await (await approvalOf(page)).getByRole('heading', { name }).waitFor();
  await approve(page);
}

export const CREATE = 'Protect your keys with a passkey';
export const USE = 'Use your passkey';

/** What the wallet's frame has stored is gone. */
export async function wipe(page: Page, url: string): Promise<void> {
  const frame = page.frames().find((one) => one.url().startsWith(url));
  await frame?.evaluate(`(async () => {
    localStorage.clear();
    for (const { name } of await indexedDB.databases())
      await new Promise((done) => { const deleting = indexedDB.deleteDatabase(name); deleting.onsuccess = deleting.onblocked = done; });
  })()`);
}

/**
 * Runs before everything else in every window: keeps PRF outputs in `outputs`, and messages of windows, ports and workers in `sent`. Outputs at
 * creation are false, as those of some authenticators.
 */
export const WATCH = `
  window.outputs = [];
  window.sent = [];
  const text = (value) => JSON.stringify(value, (_name, one) => {
    const bytes = one instanceof ArrayBuffer ? new Uint8Array(one) : ArrayBuffer.isView(one) ? new Uint8Array(one.buffer) : undefined;
    return bytes ? btoa(String.fromCharCode(...bytes)) : one;
  }) ?? '';
  const outputOf = (credential) => credential?.getClientExtensionResults().prf?.results?.first;
  const { get, create } = window.CredentialsContainer?.prototype ?? {};
  if (get) CredentialsContainer.prototype.get = async function (options) {
    const credential = await get.call(this, options);
    const output = outputOf(credential);
    if (output) outputs.push(btoa(String.fromCharCode(...new Uint8Array(output))));
    return credential;
  };
  if (create) CredentialsContainer.prototype.create = async function (options) {
    const credential = await create.call(this, options);
    const results = credential.getClientExtensionResults();
    if (results.prf?.enabled)
      credential.getClientExtensionResults = () => ({ ...results, prf: { enabled: true, results: { first: new Uint8Array(32).buffer } } });
    return credential;
  };
  for (const { prototype } of [MessagePort, Worker, BroadcastChannel]) {
    const post = prototype.postMessage;
    prototype.postMessage = function (message, ...rest) {
      sent.push(text(message));
      return post.call(this, message, ...rest);
    };
  }
  addEventListener('message', ({ data }) => sent.push(text(data)));`;
