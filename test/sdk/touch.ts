// Virtual authenticators of Chromium, and what scripts can see of a passkey's PRF outputs.
import type { CDPSession, Page } from 'playwright-core';
import { walletOf } from './world.js';

/** Gives a page an authenticator of its own, whose user touches it and is verified at once. It stays from site to site. */
export async function addAuthenticator(page: Page, { hasPrf = true } = {}): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
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

/** Clicks the button of a screen that asks for a touch, once it takes clicks. */
export async function touch(page: Page, name: string | RegExp): Promise<void> {
  await walletOf(page).getByRole('heading', { name }).waitFor();
  await walletOf(page).locator('button.main[aria-disabled="false"]').click();
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
