// Moves through the console by keyboard alone.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The words by which an element is known. */
const NAME = `((it) =>
  (it.labels?.length ? it.labels[0].firstChild.textContent.trim() || it.labels[0].textContent : it.getAttribute('aria-label') ?? it.textContent).trim())`;
const FOCUSED = `${NAME}(document.activeElement)`;

/** Whether something that can get the focus has this name. */
const isThere = (name: string): string =>
  `[...document.querySelectorAll('a[href], button:enabled, input, select, textarea, summary')].some((it) => ${NAME}(it) === ${JSON.stringify(name)})`;

/** Moves the focus by one key until it is at what has this name, once the page shows that. */
export async function moveTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect.poll(() => page.evaluate(isThere(name)), { message: `“${name}” is not there` }).toBe(true);
  const seen: unknown[] = [];
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press(key);
    const focused = await page.evaluate(FOCUSED);
    if (focused === name) return;
    seen.push(focused);
  }
  throw new Error(`the focus does not reach “${name}”, but ${seen.join(' | ')}`);
}

/** Presses Enter at what has this name. */
export async function press(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await moveTo(page, name, key);
  await page.keyboard.press('Enter');
}

/** Types over what a field has. */
export async function type(page: Page, name: string, text: string): Promise<void> {
  await moveTo(page, name);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** Waits for the page with this title. */
export const opened = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
