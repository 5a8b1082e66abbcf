// The wallet's window, as a user opens it with a click in the frame and approves in it.

import axe from 'axe-core';
import type { Frame, Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from '../support/eventually.js';
import { walletOf } from './world.js';

/** The newest window of a page's wallet that is open; undefined: none. */
async function openWindow(page: Page): Promise<Page | undefined> {
  for (const one of page.context().pages().reverse()) if (!one.isClosed() && (await one.opener()) === page) return one;
  return undefined;
}

/** The window of a page's wallet, which a click opens unless it is open. */
export async function approvalOf(page: Page): Promise<Page> {
  const opening = walletOf(page).locator('.opening');
  const open = opening.getByRole('button');
  await open.waitFor();
  const opened = (await opening.getAttribute('data-open')) === 'true' ? await openWindow(page) : undefined;
  if (opened) return opened;
  return (await Promise.all([page.waitForEvent('popup'), open.click()]))[0];
}

/** Presses a key in a window, which may close it before the driver hears of that. */
export const pressIn = (window: Page, key: string): Promise<void> => window.keyboard.press(key).catch(() => {});

/** Runs in every window first: the second that buttons wait for passes when a test calls `passSecond`, however slow the machine is. */
export const HOLD_SECOND = `{
  const { setTimeout, clearTimeout } = window;
  const held = new Map();
  window.setTimeout = (run, ms, ...rest) => {
    if (ms !== 1_000) return setTimeout(run, ms, ...rest);
    const id = -1 - Math.floor(Math.random() * 2 ** 40);
    held.set(id, run);
    return id;
  };
  window.clearTimeout = (id) => held.delete(id) || clearTimeout(id);
  window.passSecond = () => {
    const runs = [...held.values()];
    held.clear();
    for (const run of runs) run();
  };
}`;

/** The approving button, once it works. */
export const approving = async (page: Page) =>
  (await approvalOf(page)).locator('button.main[aria-disabled="false"]').first();

/** In a window: shows the ends of what its user must have read. Whether an element that then works is there. */
const readToEnd = (selector: string): string => `
  for (const end of document.querySelectorAll('.end')) end.scrollIntoView();
  document.querySelector('${selector}[aria-disabled="false"]') !== null`;

/** Reads to the end, and waits until an element works. */
async function whenRead(page: Page, selector: string): Promise<void> {
  const window = await approvalOf(page);
  await eventually(async () => expect(await window.evaluate(readToEnd(selector))).toBe(true));
}

/** Reads to the end, and waits until the user can approve. */
export const approvable = (page: Page): Promise<void> => whenRead(page, 'button.main');

/** Reads to the end, and checks the box of a consent. */
export const checkBox = async (page: Page): Promise<void> => {
  await whenRead(page, 'input[type=checkbox]');
  await (await approvalOf(page)).getByRole('checkbox').check();
};

/** Reads to the end, and approves. */
export const approve = async (page: Page): Promise<void> => {
  await approvable(page);
  await (await approving(page)).click();
};

/** The accessibility rules that the wallet's screen breaks, light and dark, as axe-core finds: in its window, if one is open, else in the frame. */
export async function accessFaults(page: Page, url: string): Promise<string[]> {
  const opened = await openWindow(page);
  const shown: Frame | undefined = opened?.mainFrame() ?? page.frames().find((one) => one.url().startsWith(url));
  if (shown === undefined) throw new Error('the page has no frame');
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await (opened ?? page).emulateMedia({ colorScheme });
    await shown.evaluate(axe.source);
    const { violations } = (await shown.evaluate('axe.run()')) as { violations: { id: string }[] };
    found.push(...violations.map(({ id }) => `${colorScheme}: ${id}`));
  }
  return found;
}
