// Operators edit the catalog in a browser: two on one entry, conditions checked while typed, what a schema breaks, retirement, creation, import.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type OperatorConsole, startOperatorConsole } from './operator-console.js';
import { go } from './partner-console.js';

const POINTS = [
  { name: 'note', type: 'string', isRequired: true, description: '', title: 'Note' },
  { name: 'born', type: 'date', isRequired: true, description: '', title: 'Date of birth' },
];

describe.skipIf(CHROMIUM === undefined)('The console for operators', () => {
  let at: OperatorConsole;
  const put = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await at.gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  };
  const record = async (path: string) => (await at.gateway.admin('GET', `/v1/admin/${path}`)).body;
  beforeAll(async () => {
    at = await startOperatorConsole();
    await put('schemas/person', { title: 'Person', description: '', dataPoints: POINTS });
    await put('credentials/person', { name: 'Person', category: 'Test', issuerId: 'club', schemaId: 'person' });
    await put('verifiers/bar', { name: 'Bar', verifierDid: 'did:web:bar.example' });
    await put('programs/adults', {
      name: 'Adults',
      description: '',
      verifierId: 'bar',
      pricingModel: 'free',
      acceptedCredentials: [{ credentialId: 'person', verificationConditions: ['born <= today - 18 years'] }],
    });
  });
  afterAll(() => at?.close());

  async function edit(path: string, name: string): Promise<{ page: Page; sent: string[]; faults: string[] }> {
    const entered = await at.enter();
    await go(entered.page, `/operator/catalog/${path}`);
    await entered.page.getByRole('heading', { level: 1, name }).waitFor();
    return entered;
  }
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

  it('an operator goes from an entry of the catalog to its form', async () => {
    const { page } = await at.enter();
    await page.getByRole('link', { name: 'Credentials', exact: true }).click();
    await page.getByRole('link', { name: 'Person' }).click();
    await page.getByRole('link', { name: 'Edit it' }).click();
    await page.getByLabel('Category').waitFor();
  });

  it('what two operators changed of one entry is put together, and only what both changed is asked', async () => {
    await put('credentials/shared', { name: 'One', category: 'Old', issuerId: 'club', schemaId: 'person' });
    const [first, second] = [await edit('credentials/shared', 'One'), await edit('credentials/shared', 'One')];
    await first.page.getByLabel('Name', { exact: true }).fill('First’s');
    await first.page.getByLabel('How many may be issued').fill('7');
    await second.page.getByLabel('Name', { exact: true }).fill('Second’s');
    await second.page.getByLabel('Category').fill('New');
    await save(first.page);
    await first.page.getByText('It is saved.').waitFor();
    await save(second.page);
    await second.page.getByRole('heading', { name: 'Somebody else has saved it' }).waitFor();
    await second.page.getByRole('listitem').getByText('Category: yours').waitFor();
    await second.page.getByRole('listitem').getByText('How many may be issued; empty: any number: theirs').waitFor();
    // Where both changed the same, nothing is chosen beforehand.
    const row = (name: string) => second.page.getByRole('row', { name: new RegExp(`^${name}`) });
    expect(await second.page.getByRole('row').count()).toBe(2);
    for (const side of ['Theirs', 'Yours'])
      expect(await row('Name').getByRole('radio', { name: side }).isChecked()).toBe(false);
    const chosen = second.page.getByRole('button', { name: 'Save what is chosen' });
    expect(await chosen.isDisabled()).toBe(true);
    expect(await record('credentials/shared')).toMatchObject({ name: 'First’s', category: 'Old' });
    await row('Name').getByRole('radio', { name: 'Theirs' }).check();
    await chosen.click();
    await second.page.getByText('It is saved.').waitFor();
    expect(await record('credentials/shared')).toMatchObject({
      name: 'First’s',
      category: 'New',
      maximumIssuance: 7,
    });
    expect([first.faults, second.faults]).toEqual([[], []]);
  });

  it('two operators who each add an accepted credential lose neither', async () => {
    for (const id of ['one', 'two'])
      await put(`credentials/${id}`, { name: id, category: 'Test', issuerId: 'club', schemaId: 'person' });
    const accepted = (...ids: string[]) => ids.map((credentialId) => ({ credentialId, verificationConditions: [] }));
    const program = { name: 'Both', description: '', verifierId: 'bar', pricingModel: 'free' };
    await put('programs/both', { ...program, acceptedCredentials: accepted('person') });
    const { page } = await edit('programs/both', 'Both');
    await put('programs/both', { ...program, acceptedCredentials: accepted('person', 'one') });
    await page.getByRole('button', { name: 'Add a credential' }).click();
    await page.getByLabel('Id of credential 2').fill('two');
    await page.getByLabel('Id of credential 2').press('Tab');
    await save(page);
    await page.getByRole('button', { name: 'Save both changes' }).click();
    await page.getByText('It is saved.').waitFor();
    expect((await record('programs/both')).acceptedCredentials).toEqual(accepted('person', 'one', 'two'));
  });

  it('an operator is told that another operator has retired or created the entry meanwhile', async () => {
    await put('verifiers/gone', { name: 'Gone', verifierDid: 'did:web:gone.example' });
    const { page } = await edit('verifiers/gone', 'Gone');
    await at.gateway.admin('DELETE', '/v1/admin/verifiers/gone');
    await page.getByLabel('Name', { exact: true }).fill('Still here');
    await save(page);
    await page.getByRole('heading', { name: 'Somebody else has retired it' }).waitFor();
    await page.getByRole('button', { name: 'Create it again' }).click();
    await page.getByText('It is saved.').waitFor();
    expect((await record('verifiers/gone')).name).toBe('Still here');

    const { page: other } = await edit('verifiers/taken?new', 'A new verifier');
    await put('verifiers/taken', { name: 'Theirs', verifierDid: 'did:web:taken.example' });
    await other.getByLabel('Name', { exact: true }).fill('Mine');
    await other.getByLabel('DID', { exact: true }).fill('did:web:mine.example');
    await save(other);
    await other.getByRole('heading', { name: 'Somebody else has saved it' }).waitFor();
    expect((await record('verifiers/taken')).name).toBe('Theirs');
    await other.getByRole('button', { name: 'Leave it as theirs' }).click();
    await expect.poll(() => other.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs');
  });

  it('an operator sees what is wrong with a condition while typing it, without asking the gateway', async () => {
    const { page, sent, faults } = await edit('programs/adults', 'Adults');
    const conditions = page.getByLabel('Conditions of credential 1');
    await page.getByText('Date of birth (date) is on or before today - 18 years').waitFor();
    const before = sent.length;
    await conditions.fill('born <= "x"\nnot = 1\nnote in ["a", "b"\nnote = "gold"');
    await page.getByText(/Line 1: .*born.* is of type date/).waitFor();
    await page.getByText(/Line 2: .*no data point .*not/).waitFor();
    await page.getByText(/Line 3: /).waitFor();
    await page.getByText('Line 4: Note (string) is gold').waitFor();
    expect(sent.slice(before)).toEqual([]);
    // The gateway refuses it at its field, too, and what was typed stays.
    await save(page);
    await page.getByRole('alert').first().waitFor();
    expect(await conditions.inputValue()).toContain('note in ["a", "b"');
    await conditions.fill('born <= today - 21 years\n\n');
    await save(page);
    await page.getByText('It is saved.').waitFor();
    expect((await record('programs/adults')).acceptedCredentials).toEqual([
      { credentialId: 'person', verificationConditions: ['born <= today - 21 years'] },
    ]);
    expect(faults).toEqual([]);
  });

  it('an operator sees what a new version of a schema would break before it is written', async () => {
    const { page, faults } = await edit('schemas/person', 'Person');
    await page.getByRole('button', { name: 'Remove data point 2' }).click();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'See what this would break' }).click();
    await page.getByText('1 condition of programs break').waitFor();
    await page.getByRole('listitem').getByText('the field is gone').waitFor();
    expect((await record('schemas/person')).dataPoints).toHaveLength(2);
    // Another change is looked at anew.
    await page.getByLabel('Title').first().fill('Human');
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'See what this would break' }).click();
    await save(page);
    await page.getByText('It is saved.').waitFor();
    expect(await record('schemas/person')).toMatchObject({ title: 'Human', dataPoints: [{ name: 'note' }] });
    expect(faults).toEqual([]);
  });

  it('an operator writes a schema as a document, whose long integers it does not change', async () => {
    const { page } = await edit('schemas/doc?new', 'A new schema');
    await page.getByLabel('Written as a JSON Schema document').check();
    const document = page.getByLabel('JSON Schema document', { exact: true });
    await document.fill('{"type": "object", "properties": {"n": {"maximum": 9007199254740993}}}');
    await save(page);
    await page.getByText('cannot hold the number 9007199254740993').waitFor();
    await document.fill('{');
    await save(page);
    await page.getByText('This is not JSON.').waitFor();
    const content = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Doc',
      type: 'object',
      properties: { credentialSubject: { type: 'object', properties: { level: { type: 'integer' } } } },
    };
    await document.fill(JSON.stringify(content));
    await save(page);
    await page.getByText('It is saved.').waitFor();
    expect(await record('schemas/doc')).toMatchObject({ title: 'Doc', jsonSchema: content });
  });

  it('an operator sees what needs an entry before retiring it, also what came to need it meanwhile', async () => {
    const { page } = await edit('issuers/club', 'club');
    await page.getByText('It cannot be retired while').waitFor();
    await page.getByRole('link', { name: 'club', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Retire it' }).count()).toBe(0);

    await put('schemas/free', { title: 'Free', description: '', dataPoints: POINTS });
    const { page: other } = await edit('schemas/free', 'Free');
    await other.getByRole('button', { name: 'Retire it' }).waitFor();
    await put('credentials/late', { name: 'Late one', category: 'Test', issuerId: 'club', schemaId: 'free' });
    await other.getByRole('button', { name: 'Retire it' }).click();
    await other.getByRole('alert').getByText('cannot be retired: 1 live credential needs it').waitFor();
    await other.getByRole('link', { name: 'Late one' }).waitFor();

    const { page: third } = await edit('credentials/late', 'Late one');
    await third.getByRole('button', { name: 'Retire it' }).click();
    await third.getByText('It is retired.').waitFor();
    expect((await at.gateway.admin('GET', '/v1/admin/credentials/late')).status).toBe(404);
  });

  it('an operator imports a file, and sees the result of each line', async () => {
    const { page, faults } = await at.enter();
    await page.getByRole('link', { name: 'Import' }).click();
    const entry = (id: string, more: object = {}) => ({ kind: 'verifiers', id, name: id, ...more });
    const lines = [
      entry('v1', { verifierDid: 'did:web:v1.example' }),
      entry('v2', { verifierDid: 'no did' }),
      entry('bar', { name: 'Bar', verifierDid: 'did:web:bar.example' }),
      entry('taken', { name: '<img src=x>', verifierDid: 'did:web:taken.example' }),
    ];
    const buffer = Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"kind"\n`);
    await page.getByLabel('The file').setInputFiles({ name: 'a.ndjson', mimeType: 'application/x-ndjson', buffer });
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('The import is finished: 2 refused, 1 created, 1 changed, 1 as they were.').waitFor();
    await page.getByText(/Line 2: .*verifierDid/).waitFor();
    await page.getByText(/Line 5: /).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Results of all lines' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const results = Buffer.concat(chunks)
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ line, result }) => [line, result])).toEqual([
      [1, 'created'],
      [2, 'refused'],
      [3, 'unchanged'],
      [4, 'updated'],
      [5, 'refused'],
    ]);
    expect(faults).toEqual([]);
  });
});
