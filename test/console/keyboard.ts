// Moves through the console by keyboard alone.
import type { Page } from 'playwright-core';

/** The words by which the element with the focus is known. */
const FOCUSED = `(({ activeElement: it }) =>
  (it.labels?.length ? it.labels[0].firstChild.textContent : it.getAttribute('aria-label') ?? it.textContent).trim())(document)`;

/** Moves the focus by one key until it is at what has this name. */
export async function moveTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
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
