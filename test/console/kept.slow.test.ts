// What is typed in the console stays: leaving asks, and who comes back finds it. So do secrets that are shown once, and the work of an operator whose key was withdrawn.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { go } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined)('What is typed in the console', () => {
  let at: OperatorConsole;
  beforeAll(async () => {
    at = await startOperatorConsole();
  });
  afterAll(() => at?.close());

  /** The questions of a page, each refused or accepted as told. */
  function answering(page: Page): { asked: string[]; accepts: boolean } {
    const state = { asked: [] as string[], accepts: false };
    page.removeAllListeners('dialog');
    page.on('dialog', (dialog) => {
      state.asked.push(dialog.type());
      void (state.accepts ? dialog.accept() : dialog.dismiss());
    });
    return state;
  }

  it('of an entry is asked about before a link leaves it, and is there again after Back', async () => {
    const { page } = await at.enter();
    await go(page, '/operator/catalog/credentials/club-credential');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('typed');
    const answers = answering(page);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect.poll(() => answers.asked).toEqual(['confirm']);
    expect(await name.inputValue()).toBe('typed');
    answers.accepts = true;
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await page.goBack();
    await expect.poll(() => name.inputValue()).toBe('typed');
    await page.reload();
    expect(answers.asked).toEqual(['confirm', 'confirm', 'beforeunload']);
  });

  it('is not asked about once it is saved', async () => {
    const { page } = await at.enter();
    await go(page, '/operator/catalog/credentials/club-credential');
    await page.getByLabel('Category').fill('Saved');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It is saved.').waitFor();
    const answers = answering(page);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(answers.asked).toEqual([]);
  });

  it('of a partner’s issuance and its file is there again after Back', async () => {
    const { page } = await at.enterPartner();
    await go(page, '/partner/issue?credentialId=club-credential');
    await page.getByLabel('E-mail address of the recipient').fill('typed@example.org');
    await page.getByLabel(/^note/).fill('gold');
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByLabel('E-mail address of the recipient').inputValue()).toBe('typed@example.org');
    expect(await page.getByLabel(/^note/).inputValue()).toBe('gold');
    await go(page, '/partner/batch?credentialId=club-credential');
    const buffer = Buffer.from('email,credentialSubject.note\na@example.org,"""gold"""');
    await page.getByLabel('The file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByText('people.csv: 1 row can be sent').waitFor();
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
    await page.goBack();
    await page.getByText('people.csv: 1 row can be sent').waitFor();
  });

  it.each([
    ['erasure', 'To confirm, type it again', 'someone'],
    ['keys', 'Name of a new key', 'watcher'],
  ])(
    'of the form of %s is asked about before a link leaves it, and is there again after Back',
    async (path, label, text) => {
      const { page } = await at.enter();
      await go(page, `/operator/${path}`);
      const field = page.getByLabel(label);
      await field.fill(text);
      const answers = answering(page);
      const leave = () => page.getByRole('link', { name: 'Audit log' }).click();
      await leave();
      await expect.poll(() => answers.asked).toEqual(['confirm']);
      expect(await field.inputValue()).toBe(text);
      answers.accepts = true;
      await leave();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      await page.goBack();
      await expect.poll(() => field.inputValue()).toBe(text);
    },
  );

  it('a key that is shown once asks before it goes', async () => {
    const { page } = await at.enter();
    await go(page, '/operator/keys');
    await page.getByLabel('Name of a new key').fill('once');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByText('The key, shown only now').locator('code').textContent();
    const answers = answering(page);
    await page.getByRole('link', { name: 'Audit log' }).click();
    await expect.poll(() => answers.asked).toEqual(['confirm']);
    await page.getByText(key ?? '').waitFor();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(answers.asked).toEqual(['confirm']);
  });

  it('stays when the operator’s key was withdrawn, and another key goes on', async () => {
    const key = await at.keyOf('CATALOG');
    const { page } = await at.enter(key);
    await go(page, '/operator/catalog/credentials/club-credential');
    const category = page.getByLabel('Category');
    await category.fill('by another key');
    const { data } = await at.gateway.gql(
      '{ operatorKeys { name } }',
      {},
      { 'x-admin-api-key': at.gateway.operatorKey },
    );
    const withdraw =
      'mutation ($input: OperatorKeyInput!) { withdrawOperatorKey(input: $input) { operatorKey { name } } }';
    for (const { name } of data.operatorKeys.filter((one: { name: string }) => one.name.startsWith('catalog')))
      await at.gateway.gql(withdraw, { input: { name } }, { 'x-admin-api-key': at.gateway.operatorKey });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Another key goes on').fill(await at.keyOf('CATALOG'));
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByLabel('Another key goes on').waitFor({ state: 'detached' });
    expect(await category.inputValue()).toBe('by another key');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It is saved.').waitFor();
  });
});
