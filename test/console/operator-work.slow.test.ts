// Operators run the network in a browser: issuances, revocation, erasure, events and mirrors; what each role is shown; beside a partner; and what
// goes wrong on the way.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { startGateway } from '../support/gateway.js';
import { logIn } from '../support/partner.js';
import { holdImports, type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { documentIdOf, go } from './partner-console.js';

describe.skipIf(CHROMIUM === undefined)('The console for operators', () => {
  let at: OperatorConsole;
  beforeAll(async () => {
    at = await startOperatorConsole();
  });
  afterAll(() => at?.close());

  it('an operator finds issuances of all by filters, revokes one, and many after a preview and a typed number', async () => {
    const hashes = [await at.issue('a@example.org'), await at.issue('b@example.org'), await at.issue('c@example.org')];
    const { page, faults } = await at.enter();
    await page.getByRole('link', { name: 'Issuances' }).click();
    await page.getByText('3 issuances.').waitFor();
    expect(await page.getByLabel('State').count()).toBe(0);
    await page.getByLabel('DID of the issuer').fill(at.issuerDid);
    await page.keyboard.press('Enter');
    await page.getByLabel('State').selectOption('WAIT_ONCHAIN');
    await page.getByText('3 issuances.').waitFor();
    await page.getByRole('listitem').filter({ hasText: hashes[0] }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('2 issuances.').waitFor();
    await page.getByRole('link', { name: 'Revoke all that match' }).click();
    expect(await page.getByLabel('DID of the issuer').inputValue()).toBe(at.issuerDid);
    await page.getByLabel('Id of the partner').fill(at.partner.partnerId);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('heading', { name: '2 credentials would be revoked' }).waitFor();
    await page.getByLabel(/Type 2 to confirm/).fill('2');
    await page.getByRole('button', { name: 'Revoke 2 credentials' }).click();
    await page.getByText('The revocation is finished: 2 revoked').waitFor();
    expect(faults).toEqual([]);
  });

  it('an operator erases a holder only after typing it twice, and sees how far that is', async () => {
    await logIn(at.gateway, at.partner, 'erased@example.org');
    const { page, faults } = await at.enter();
    await page.getByRole('link', { name: 'Erasure' }).click();
    await page.getByLabel('The holder by its').selectOption('email');
    await page.getByLabel('E-mail address', { exact: true }).fill('erased@example.org');
    const erase = page.getByRole('button', { name: 'Erase this holder' });
    await page.getByLabel('To confirm, type it again').fill('erased@example.com');
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('To confirm, type it again').fill('erased@example.org');
    await erase.click();
    await page.getByText(/Rows are being deleted|Everything is deleted|Nothing of the holder is left/).waitFor();
    // Its address does not name the holder.
    expect(page.url()).not.toContain('erased');
    expect(faults).toEqual([]);
  });

  it('an operator sees the last run over a mirrored network', async () => {
    const source = await startGateway();
    onTestFinished(() => source.close());
    const verifier = { name: 'Far', verifierDid: 'did:web:far.example' };
    await source.admin('PUT', '/v1/admin/verifiers/far', { body: verifier });
    const { page } = await at.enter();
    await page.getByRole('link', { name: 'Mirrors', exact: true }).click();
    await page.getByText('0 mirrored networks.').waitFor();
    expect((await at.gateway.admin('POST', '/v1/admin/mirrors', { body: { from: `${source.url}/v1` } })).status).toBe(
      200,
    );
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByRole('heading', { name: `${source.url}/v1` }).waitFor();
    await page.getByText('done', { exact: true }).waitFor();
  });

  it('an operator and a partner in another tab see each other’s work as it is done', async () => {
    const { page: operator, faults } = await at.enter();
    const { page: partner, sent } = await at.enterPartner();
    await go(operator, '/operator/events');
    await operator.getByText('Live: 0 events.').waitFor();
    await go(partner, '/partner/issue?credentialId=club-credential');
    await partner.getByLabel('E-mail address of the recipient').fill('tabs@example.org');
    await partner.getByLabel(/^note/).fill('silver');
    await partner.getByRole('button', { name: 'Issue' }).click();
    const hash = (await partner.locator('[role=status] code').textContent()) ?? '';
    await operator.getByRole('listitem').filter({ hasText: hash }).first().waitFor();

    await go(partner, '/partner/issuances');
    // What happened before the subscription was in effect is read, and not marked.
    const reads = (): number => sent.filter((text) => text.includes(documentIdOf('OwnIssuances'))).length;
    await expect.poll(reads).toBeGreaterThan(1);
    await partner.locator('[aria-busy="false"] .lines > li').first().waitFor();
    const line = (page: Page) => page.getByRole('listitem').filter({ hasText: hash });
    await line(partner).getByRole('button', { name: 'Revoke' }).waitFor();
    await go(operator, '/operator/issuances');
    await line(operator).getByRole('button', { name: 'Revoke' }).click();
    await partner.getByText('This has changed.').waitFor();
    await line(partner).getByRole('button', { name: 'Revoke' }).waitFor();
    await partner.getByRole('button', { name: 'Show it as it is now' }).click();
    await line(partner)
      .getByText(/is being revoked|is revoked/)
      .waitFor();

    await go(partner, '/credentials/club-credential');
    await partner.getByRole('heading', { level: 1, name: 'club' }).waitFor();
    await partner.getByText('Changes are marked as they come').waitFor();
    await go(operator, '/operator/catalog/credentials/club-credential');
    await operator.getByLabel('Name', { exact: true }).fill('club, renamed');
    await operator.getByRole('button', { name: 'Save', exact: true }).click();
    await partner.getByText('This has changed.').waitFor();
    expect(faults).toEqual([]);
  });

  const VIEWS = [
    '',
    '/catalog',
    '/catalog/issuers/club',
    '/catalog/issuers/none',
    '/catalog/credentials/club-credential',
  ];
  const LATER = [
    '/import',
    '/mirrors',
    '/partners',
    '/webhooks',
    '/issuances',
    '/revoke',
    '/events',
    '/erasure',
    '/chain',
    '/audit',
    '/keys',
  ];

  it.each(['READ', 'CATALOG'] as const)(
    'an operator with a key of the role %s sees no button that fails',
    async (role) => {
      const { page } = await at.enter(await at.keyOf(role));
      const refused: string[] = [];
      page.on('response', async (response) => {
        if (response.status() === 403 || (await response.text().catch(() => '')).includes('"FORBIDDEN"'))
          refused.push(`${page.url()}: ${response.request().postData()}`);
      });
      let pressed = 0;
      for (const path of [...VIEWS, ...LATER, `/partners/${at.partner.partnerId}`]) {
        await go(page, '/operator/nowhere');
        await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
        await go(page, `/operator${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.getByText('Reading …').waitFor({ state: 'detached' });
        const names = await page.locator('main button:enabled:not(.plain)').allTextContents();
        // Retiring what is there has its own test; the next views need it.
        for (const name of names.filter((each) => each !== 'Retire it')) {
          await page.getByRole('button', { name, exact: true }).first().click();
          await page.getByText('Reading …').waitFor({ state: 'detached' });
          pressed += 1;
        }
        expect([path, await page.getByText(/needs an operator key|needs the role/).count()]).toEqual([path, 0]);
      }
      expect(pressed).toBeGreaterThan(5);
      expect(refused).toEqual([]);
      for (const name of ['Keys', 'Erasure', 'Revocation', 'Revoke', 'A new partner'])
        expect([name, await page.getByRole('link', { name, exact: true }).count()]).toEqual([name, 0]);
    },
  );

  it('an operator with a key of the role CATALOG changes of an issuer what that key may', async () => {
    const { page, faults } = await at.enter(await at.keyOf('CATALOG'));
    await go(page, '/operator/catalog/issuers/club');
    await page.getByLabel('Name', { exact: true }).fill('Club of clubs');
    expect(await page.getByLabel('The gateway makes and holds its keys').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('It is saved.').waitFor();
    const { body } = await at.gateway.admin('GET', '/v1/admin/issuers/club');
    expect(body).toMatchObject({ name: 'Club of clubs', managed: true, issuerDid: at.issuerDid });
    expect(faults).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)('The console for operators, when something goes wrong', () => {
  let at: OperatorConsole;
  beforeAll(async () => {
    at = await startOperatorConsole();
  });
  afterAll(() => at?.close());

  it.each([
    [429, 'Too many requests; try again in 7 seconds.'],
    [503, 'The gateway is not ready; try again in 7 seconds.'],
    [undefined, 'The gateway cannot be reached; check the connection.'],
  ] as const)(
    'says where a balancer responds with %s (none: not at all), and keeps what was typed',
    async (status, sentence) => {
      const { page } = await at.enter();
      await go(page, '/operator/catalog/credentials/club-credential');
      const category = page.getByLabel('Category');
      await category.fill(`typed at ${status}`);
      const fail = (path: string) =>
        page.route(`**${path}`, (route) =>
          status === undefined ? route.abort() : route.fulfill({ status, headers: { 'retry-after': '7' }, body: 'no' }),
        );
      await fail('/graphql');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('alert').getByText(sentence).first().waitFor();
      expect(await category.inputValue()).toBe(`typed at ${status}`);
      await page.unroute('**/graphql');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('It is saved.').waitFor();
      // A record that cannot be read is asked for again where it should be.
      await fail('/v1/admin/issuers/club');
      await go(page, '/operator/catalog/issuers/club');
      await page.getByRole('alert').getByText(sentence).waitFor();
      await page.unroute('**/v1/admin/issuers/club');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Kind of issuer').waitFor();
    },
  );

  it('says that a right was lost meanwhile, and keeps what was typed', async () => {
    const key = await at.keyOf('ALL');
    const { page } = await at.enter(key);
    await go(page, '/operator/catalog/credentials/club-credential');
    await page.getByLabel('Category').fill('typed');
    const withdraw =
      'mutation ($name: String!) { withdrawOperatorKey(input: { name: $name }) { operatorKey { name } } }';
    const { errors } = await at.gateway.gql(withdraw, { name: 'all-1' }, { 'x-admin-api-key': at.gateway.operatorKey });
    expect(errors).toBeUndefined();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByLabel('Category').inputValue()).toBe('typed');
  });

  it('says that an import was cut, and goes on with events where they were', async () => {
    const proxy = await openCutProxy(at.gateway.url);
    onTestFinished(() => proxy.close());
    const { page } = await at.enter(undefined, {}, new URL(proxy.uri).origin);
    await go(page, '/operator/events');
    await page.getByText('Live: 0 events.').waitFor();
    await at.issue('cut1@example.org');
    const lines = page.locator('ol.lines > li');
    await expect.poll(() => lines.count()).toBe(2);
    proxy.cut();
    await at.issue('cut2@example.org');
    await expect.poll(() => lines.count()).toBe(4);
    expect(await page.getByText('missing').count()).toBe(0);

    await go(page, '/operator/import');
    const entry = (index: number) => ({
      kind: 'verifiers',
      id: `v${index}`,
      name: 'V',
      verifierDid: `did:web:v${index}.example`,
    });
    const text = Array.from({ length: 3_000 }, (_, index) => JSON.stringify(entry(index))).join('\n');
    const file = { name: 'many.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) };
    await page.getByLabel('The file').setInputFiles(file);
    const release = holdImports(at);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(/So far: 0 refused, [1-9]/).waitFor();
    proxy.cut();
    release();
    await page.getByRole('alert').getByText('The import was interrupted').waitFor();
    // The file is still chosen.
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText(/The import is finished: 0 refused, /).waitFor();
    const total = await at.gateway.admin('GET', '/v1/admin/verifiers?limit=1');
    expect(total.body.pagination.total).toBe(3_000);
  });

  it('leaves keys in no address, request body, storage or text', async () => {
    const { page, sent } = await at.enter();
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByLabel('Name of a new key').fill('canary');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const made = (await page.getByText('The key, shown only now').locator('code').textContent()) ?? '';
    expect(made.length).toBeGreaterThan(20);
    for (const name of ['Entries', 'Partners', 'Audit log', 'Issuances', 'Events']) {
      await page.getByRole('link', { name, exact: true }).first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Reading …').waitFor({ state: 'detached' });
    }
    const stored = await page.evaluate(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie, document.body.innerHTML])',
    );
    for (const text of [...sent, String(stored)])
      for (const key of [at.gateway.operatorKey, made]) expect(text).not.toContain(key);
    expect(await page.evaluate('indexedDB.databases().then(({ length }) => length)')).toBe(0);
    await page.reload();
    await page.getByLabel('An operator’s key').waitFor();
  });
});
