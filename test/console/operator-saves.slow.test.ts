// An operator saves a record of each kind, with a key of each role that may: nothing changes but what was typed.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { go } from './partner-console.js';

const POINTS = [{ name: 'born', type: 'date', isRequired: true, description: 'When', title: 'Date of birth' }];
const DERIVED = [{ name: 'adult', condition: 'born <= today - 18 years' }];
const INFO = [{ format: 'jwt', data: 'eyJ.eyJ.sig' }];
const FUTURE = '2099-01-01T00:00:00.000Z';
/** Records with a value in each member that may be left out. */
const RECORDS: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  [
    'issuers/full',
    {
      name: 'Full',
      issuerFrom: 'education',
      managed: true,
      subjectUrl: 'https://issuer.example/subject',
      wallets: { profile: 'haip', walletProviders: [], keyProviders: [] },
    },
  ],
  ['verifiers/full', { name: 'Full', verifierDid: 'did:web:full.example', verifierInfo: INFO }],
  ['schemas/full', { title: 'Full', description: 'All', dataPoints: POINTS }],
  [
    'credentials/full',
    {
      name: 'Full',
      category: 'Test',
      issuerId: 'full',
      schemaId: 'full',
      accessibleStart: '2020-01-01T00:00:00.123Z',
      accessibleEnd: FUTURE,
      expirationDuration: 3600,
      maximumIssuance: 9,
      provable: true,
      cak: true,
      vct: 'https://type.example/full',
      derived: DERIVED,
    },
  ],
  [
    'programs/full',
    {
      name: 'Full',
      description: 'All',
      verifierId: 'full',
      pricingModel: 'free',
      acceptedCredentials: [{ credentialId: 'full', verificationConditions: ['born <= today - 18 years'] }],
      maxPerHolder: 3,
      cak: true,
      disclose: true,
    },
  ],
];
const PARTNER = 'partners/6f1f8a52-0d8c-4a07-a2a8-5a4b6a3f0a77';

/** Members that change with every write. */
const CHANGES = ['etag', 'updatedAt', 'version', 'schemaVersion'];

describe.skipIf(CHROMIUM === undefined)('Saving a record in the console', () => {
  let at: OperatorConsole;
  const put = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await at.gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  };
  const read = async (path: string): Promise<Record<string, unknown>> =>
    (await at.gateway.admin('GET', `/v1/admin/${path}`)).body;
  beforeAll(async () => {
    at = await startOperatorConsole();
    for (const [path, body] of RECORDS) await put(path, body);
    await put(PARTNER, {
      name: 'Full',
      scopes: ['verify'],
      jwksUri: 'https://partner.example/jwks.json',
      allowedOrigins: ['https://app.example'],
      issuerDids: [at.issuerDid],
      issueOnBehalf: true,
      verifierIds: ['full'],
      requireTyp: true,
      requireScope: false,
      gasPolicy: { deploysPerDay: 2 },
    });
  });
  afterAll(() => at?.close());

  const CASES = [...RECORDS.map(([path]) => path), PARTNER].flatMap((path) =>
    (path === PARTNER ? (['ALL'] as const) : (['CATALOG', 'ALL'] as const)).map((role) => [path, role] as const),
  );
  it.each(CASES)('%s, with a key of the role %s: only the name differs', async (path, role) => {
    const { page, faults } = await at.enter(await at.keyOf(role));
    const before = await read(path);
    const member = path.startsWith('schemas') ? 'title' : 'name';
    await go(page, path === PARTNER ? `/operator/${path}` : `/operator/catalog/${path}`);
    const field = page.locator(`#field-${member}`);
    await field.fill(`Renamed by ${role}`);
    await save(page, path);
    const after = await read(path);
    expect(after[member]).toBe(`Renamed by ${role}`);
    const others = Object.keys({ ...before, ...after }).filter((name) => name !== member && !CHANGES.includes(name));
    for (const name of others) expect([name, after[name]]).toEqual([name, before[name]]);
    // A second save, over the version that the form has by now.
    await field.fill(`Renamed again by ${role}`);
    await save(page, path);
    expect(await read(path)).toMatchObject({ [member]: `Renamed again by ${role}` });
    expect(faults).toEqual([]);
  });

  it('a schema that was written as a document can be written by its data points', async () => {
    await put('schemas/document', { jsonSchema: { title: 'Doc', properties: { n: { type: 'string' } } } });
    const { page } = await at.enter();
    await go(page, '/operator/catalog/schemas/document');
    await page.getByLabel('Written as a JSON Schema document').uncheck();
    await page.locator('#field-title').fill('By points');
    await save(page, 'schemas/document');
    expect(await read('schemas/document')).toMatchObject({
      title: 'By points',
      jsonSchema: null,
      dataPoints: [{ name: 'n' }],
    });
  });
});

async function save(page: Page, path: string): Promise<void> {
  if (path.startsWith('schemas')) await page.getByRole('button', { name: 'See what this would break' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('It is saved.').waitFor();
}
