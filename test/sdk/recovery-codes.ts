// Recovery codes, as a user takes, notes and types them.
import type { Page } from 'playwright-core';
import { approvalOf, approve } from './approvals.js';

/** Takes a recovery code instead of a passkey, where both are offered. */
export async function takeCode(page: Page): Promise<void> {
  const wallet = await approvalOf(page);
  const instead = wallet.locator('button[aria-disabled="false"]', { hasText: 'Use a recovery code instead' });
  const code = wallet.getByLabel('Recovery code', { exact: true });
  await instead.or(code).first().waitFor();
  if (await instead.isVisible()) await instead.click();
}

/** Reads the new recovery code and goes on. */
export async function keepRecoveryCode(page: Page): Promise<string> {
  await takeCode(page);
  const code = await (await approvalOf(page)).getByLabel('Recovery code', { exact: true }).textContent();
  await approve(page);
  return code ?? '';
}

/** Types a recovery code. */
export async function enterRecoveryCode(page: Page, code: string): Promise<void> {
  await (await approvalOf(page)).getByRole('textbox', { name: 'Recovery code' }).fill(code);
  await approve(page);
}
