// Recovery codes, as a user takes, notes and types them.
import type { Page } from 'playwright-core';
import { approving, walletOf } from './world.js';

/** Takes a recovery code instead of a passkey, where both are offered. */
export async function takeCode(page: Page): Promise<void> {
  const instead = walletOf(page).getByRole('button', { name: 'Use a recovery code instead' });
  const code = walletOf(page).getByLabel('Recovery code', { exact: true });
  await instead.or(code).first().waitFor();
  if (await instead.isVisible()) await instead.click();
}

/** Reads the new recovery code and goes on. */
export async function keepRecoveryCode(page: Page): Promise<string> {
  await takeCode(page);
  const code = await walletOf(page).getByLabel('Recovery code', { exact: true }).textContent();
  await approving(page).click();
  return code ?? '';
}

/** Types a recovery code. */
export async function enterRecoveryCode(page: Page, code: string): Promise<void> {
  await walletOf(page).getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await walletOf(page).getByRole('button', { name: 'Continue' }).click();
}
