// Files that an operator imports in the console: JSON Schema documents as they are published, bundles and lines, with what they become.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { go } from './partner-console.js';

const subject = (name: string, type = 'string') => ({
  type: 'object',
  properties: { credentialSubject: { type: 'object', properties: { [name]: { type } }, required: [name] } },
});
const NAMED = { $id: 'https://schemas.example/degree.json', title: 'Degree', ...subject('degree') };
const UNNAMED = { title: 'Badge', ...subject('level', 'integer') };
const BUNDLE = {
  credentials: [{ id: 'degree', name: 'Degree', category: 'Test', issuerId: 'school', schemaId: NAMED.$id }],
  issuers: [{ id: 'school', name: 'School', issuerFrom: 'education', managed: true }],
};

describe.skipIf(CHROMIUM === undefined)('Files that operators import in the console', () => {
  let at: OperatorConsole;
  beforeAll(async () => {
    at = await startOperatorConsole();
  });
  afterAll(() => at?.close());

  const file = (name: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    return { name, mimeType: 'application/json', buffer: Buffer.from(text) };
  };

  it('show what they become, and several are imported at once, in an order that works', async () => {
    const { page, faults } = await at.enter();
    await go(page, '/operator/import');
    await page
      .getByLabel('The files')
      .setInputFiles([
        file('bundle.json', BUNDLE),
        file('degree.json', NAMED),
        file('badge.json', UNNAMED),
        file('wrong.json', '{"title": '),
        file('empty.json', { title: 'No data points', type: 'object' }),
      ]);
    await page.getByText('5 entries can be imported, 1 cannot.').waitFor();
    await page.getByText('wrong.json is not JSON.').waitFor();
    const entry = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    const badgeId = `urn:sha256:${createHash('sha256')
      .update(canonicalize(UNNAMED) ?? '')
      .digest('hex')}`;
    await entry('badge.json').getByText(badgeId).waitFor();
    await entry('badge.json').getByText('New.').waitFor();
    await entry('degree.json').getByText('Schema Degree').waitFor();
    await entry('empty.json').getByText('has no data points').waitFor();
    // Nothing is written yet.
    expect((await at.gateway.admin('GET', '/v1/admin/schemas?limit=1')).body.pagination.total).toBe(1);

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The import is finished: 1 refused, 4 created').waitFor();
    await page.getByText(/^empty\.json: schemas/).waitFor();
    const schema = await at.gateway.admin('GET', `/v1/admin/schemas/${encodeURIComponent(badgeId)}`);
    expect(schema.body).toMatchObject({ title: 'Badge', jsonSchema: UNNAMED });
    expect((await at.gateway.admin('GET', '/v1/admin/credentials/degree')).status).toBe(200);
    expect(faults).toEqual([]);
  });

  it('of which one has a schema that is there already say what its next version would break', async () => {
    const path = `/v1/admin/schemas/${encodeURIComponent(NAMED.$id)}`;
    expect((await at.gateway.admin('PUT', path, { body: { jsonSchema: NAMED } })).status).toBe(200);
    const { page } = await at.enter();
    await go(page, '/operator/import');
    await page.getByLabel('The files').setInputFiles([file('degree.json', { ...NAMED, ...subject('grade') })]);
    await page.getByText('There is one with this id, “Degree”.').waitFor();
  });
});
