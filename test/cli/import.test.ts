// `import` as its user meets it: a process of its own, real files, a real gateway or the store itself.
import { once } from 'node:events';
import { cpSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { folderOf, runCli, runCliProcess } from './run-cli.js';
import { openUnsteadyProxy } from './unsteady-proxy.js';

// Each command is a process that loads the whole gateway.
const BUNDLE = {
  programs: [
    {
      id: 'graduates',
      name: 'Graduates',
      description: '',
      verifierId: 'hireline',
      pricingModel: 'free',
      acceptedCredentials: [{ credentialId: 'degree-lumen', verificationConditions: ['level >= 6'] }],
    },
  ],
  credentials: [
    { id: 'degree-lumen', name: 'Degree', category: 'Education', issuerId: 'lumen', schemaId: 'urn:example:degree' },
  ],
};
const ORGANISATIONS = [
  { kind: 'verifiers', id: 'hireline', name: 'Hireline', verifierDid: 'did:web:hireline.example' },
  { kind: 'issuers', id: 'lumen', name: 'Lumen', issuerFrom: 'education', issuerDid: 'did:web:lumen.example' },
];
const DEGREE = { $id: 'urn:example:degree', title: 'Degree', properties: { level: { type: 'integer' } } };

/** A catalog in four files, each before what it needs. */
const CATALOG = {
  'a-bundle.json': JSON.stringify(BUNDLE),
  'b-degree.json': JSON.stringify(DEGREE),
  'c-organisations.ndjson': ORGANISATIONS.map((entry) => JSON.stringify(entry)).join('\n'),
  'd-notes.txt': 'not for import',
};

describe('cli import into a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());
  const into = () => ['--url', gateway.url, '--key', gateway.operatorKey];

  it('cli import reads files in any order, and changes nothing the second time', async () => {
    const folder = folderOf(CATALOG);
    const first = await runCli(['import', folder, ...into()]);
    expect(first).toEqual({
      code: 0,
      out: `imported into ${gateway.url}: 5 created, 0 updated, 0 unchanged, 0 refused\n`,
      err: '',
    });
    const second = await runCli(['import', folder, '--json', ...into()]);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.out)).toEqual({
      target: gateway.url,
      created: 0,
      updated: 0,
      unchanged: 5,
      refused: [],
    });
    const { data } = await gateway.gql(
      '{ program(programId: "graduates") { acceptedCredentials { credential { name schema { title } issuer { name } } } } }',
    );
    expect(data.program.acceptedCredentials).toEqual([
      { credential: { name: 'Degree', schema: { title: 'Degree' }, issuer: { name: 'Lumen' } } },
    ]);
  });

  it('cli import reads a file with mixed kinds, each before those that need it', async () => {
    const verifier = (id: string) => ({ kind: 'verifiers', id, name: id, verifierDid: `did:web:${id}.example` });
    const lines = [
      verifier('mixed-one'),
      { ...BUNDLE.credentials[0], kind: 'credentials', id: 'mixed', issuerId: 'mixer', schemaId: 'mixture' },
      { ...ORGANISATIONS[1], id: 'mixer', issuerDid: 'did:web:mixer.example' },
      verifier('mixed-two'),
      { kind: 'schemas', id: 'mixture', jsonSchema: { ...DEGREE, $id: 'mixture' } },
      { ...BUNDLE.credentials[0], kind: 'credentials', id: 'mixed-too', issuerId: 'mixer', schemaId: 'mixture' },
    ];
    const folder = folderOf({ 'mixed.ndjson': lines.map((line) => JSON.stringify(line)).join('\n') });
    const { code, out } = await runCli(['import', folder, ...into()]);
    expect([code, out]).toEqual([0, `imported into ${gateway.url}: 6 created, 0 updated, 0 unchanged, 0 refused\n`]);
  });

  it('cli import prints the ids of documents without one, and finds the documents by these', async () => {
    const { $id: _, ...document } = DEGREE;
    const files = { 'one.json': document, 'two.json': { ...document, title: 'Other' }, 'three.json': DEGREE };
    const folder = folderOf(Object.fromEntries(Object.entries(files).map(([name, at]) => [name, JSON.stringify(at)])));
    const plain = await runCli(['import', folder, ...into()]);
    const named = [...plain.out.matchAll(/^named {4}\S+\/(\w+)\.json: (urn:sha256:[0-9a-f]{64})$/gm)];
    expect(named.map(([, name]) => name)).toEqual(['one', 'two']);
    for (const [, , id = ''] of named)
      expect((await gateway.admin('GET', `/v1/admin/schemas/${encodeURIComponent(id)}`)).status).toBe(200);
    const again = JSON.parse((await runCli(['import', folder, '--json', ...into()])).out);
    expect(again.named.map(({ id }: { id: string }) => id)).toEqual(named.map(([, , id]) => id));
  });

  it('cli import goes on after a broken connection and a gateway that is overloaded, and repeats no line', async () => {
    const proxy = await openUnsteadyProxy(gateway.url);
    onTestFinished(() => proxy.close());
    const verifier = (at: number) => ({
      kind: 'verifiers',
      id: `steady-${at}`,
      name: `Steady ${at}`,
      verifierDid: `did:web:steady-${at}.example`,
    });
    const lines = Array.from({ length: 2_500 }, (_, at) => JSON.stringify(verifier(at)));
    const folder = folderOf({ 'verifiers.ndjson': lines.join('\n') });
    const result = await runCli(['import', folder, '--json', '--url', proxy.url, '--key', gateway.operatorKey]);
    expect(result.err.match(/sent again in \d s/g)).toHaveLength(2);
    const { created, unchanged, refused } = JSON.parse(result.out);
    expect(refused).toEqual([]);
    expect(created + unchanged).toBe(lines.length);
    const again = await runCli(['import', folder, '--json', ...into()]);
    expect(JSON.parse(again.out)).toMatchObject({ created: 0, updated: 0, unchanged: lines.length });
  });

  it('cli import ends at once if there is no gateway at the address', async () => {
    const folder = folderOf({ 'verifier.json': JSON.stringify(ORGANISATIONS[0]) });
    const result = await runCli(['import', folder, '--url', 'http://127.0.0.1:2', '--key', 'x']);
    expect(result.code).toBe(1);
    expect(result.err).toContain('cannot be reached');
    expect(result.err).not.toContain('sent again');
  });

  it('cli import reports bad entries with their location, imports the others, and ends with 1', async () => {
    const good = { kind: 'verifiers', id: 'rest', name: 'The rest', verifierDid: 'did:web:rest.example' };
    const folder = folderOf({
      'broken.json': '{\n  "title": "x",\n}',
      'cut.json': '{"title": "x"',
      'empty.json': '',
      'nothing.json': '{}',
      'lines.ndjson': ['{"kind": "verifiers"', '', JSON.stringify(good), '{"kind": "planets", "id": "p"}'].join('\n'),
      'list.json': JSON.stringify([5, { kind: 'credentials', id: 'c', name: 'C' }]),
      'bundle.json': JSON.stringify({ issuers: [null], verifiers: 'none' }),
      'outside.json': '{"properties": {"a": {"$ref": "https://x.example/a.json"}}}',
    });
    const at = (name: string) => join(folder, name);
    const { code, out } = await runCli(['import', folder, at('absent.json'), '--json', ...into()]);
    expect(code).toBe(1);
    const { created, refused } = JSON.parse(out) as { created: number; refused: { place: string; message: string }[] };
    expect(created).toBe(1);
    expect(Object.fromEntries(refused.map(({ place, message }) => [place, message]))).toEqual({
      [at('absent.json')]: 'there is no such file',
      [at('broken.json')]: 'is not JSON: the fault is at line 3, column 1',
      [at('cut.json')]: 'is not JSON: it ends too early, at line 1, column 14',
      [at('empty.json')]: 'is empty',
      [at('nothing.json')]: expect.stringContaining('no data points'),
      [at('lines.ndjson:1')]: 'is not JSON: it ends too early, at column 21',
      [at('lines.ndjson:4')]: expect.stringContaining('"planets"'),
      [at('list.json[0]')]: 'is not a JSON object',
      [at('list.json[1]')]: expect.stringContaining('category'),
      [at('bundle.json#issuers[0]')]: 'is not a JSON object',
      [at('bundle.json')]: 'has "verifiers", which must be a list',
      [at('outside.json')]: expect.stringContaining('outside it'),
    });
    const plain = await runCli(['import', at('cut.json'), ...into()]);
    expect(plain.code).toBe(1);
    expect(plain.out).toMatch(/^refused {2}\S+cut\.json: is not JSON: .*\nimported into .*, 1 refused\n$/);
  });

  it('cli import refuses a folder in which nothing can be imported', async () => {
    const folder = folderOf({ 'catalog.csv': 'id,name' });
    const { code, out } = await runCli(['import', folder, ...into()]);
    expect(code).toBe(1);
    expect(out).toContain(`refused  ${folder}: has no file that ends in .json, .ndjson or .jsonl\n`);
  });

  it('cli import has one line in memory for a file of any size', async () => {
    const file = join(folderOf(), 'big.ndjson');
    const stream = createWriteStream(file);
    const name = 'x'.repeat(600_000);
    for (let at = 0; at < 200; at += 1) {
      const more = stream.write(`${JSON.stringify({ kind: 'verifiers', id: `v${at}`, name })}\n`);
      if (!more) await once(stream, 'drain');
    }
    await new Promise((resolve) => stream.end(resolve));
    const { code, out } = await runCliProcess(['import', file, '--json', ...into()], {}, ['--max-old-space-size=96']);
    expect(code).toBe(1);
    expect(JSON.parse(out).refused).toHaveLength(200);
  });

  it.each([
    ['a wrong key', () => ['--url', gateway.url, '--key', 'wrong'], /^The gateway refused the import: .+\.\n$/],
    [
      'no gateway there',
      () => ['--url', 'http://127.0.0.1:1', '--key', 'k'],
      /^The gateway at \S+ cannot be reached\.\n$/,
    ],
    ['no key', () => ['--url', gateway.url], /^The operator's key is needed: .+\.\n$/],
  ])('cli import reports in one sentence that there is %s', async (_what, options, sentence) => {
    const folder = folderOf(CATALOG);
    const { code, out, err } = await runCli(['import', folder, ...options()], { DATA_DIR: join(folder, 'data') });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(sentence);
  });
});

describe('cli import with no gateway running', () => {
  it('cli import without a gateway writes into the store, which is then sound and can be dumped and restored', async () => {
    const folder = folderOf(CATALOG);
    const env = { DATA_DIR: join(folder, 'data') };
    const first = await runCli(['import', folder], env);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toBe(
      `imported into the store in ${env.DATA_DIR}: 5 created, 0 updated, 0 unchanged, 0 refused\n`,
    );
    const check = await runCli(['engine', 'check'], env);
    expect(check.code).toBe(0);
    expect(check.out).toContain('credential_gateway.credentials: 1 documents');

    const dump = join(folder, 'dump');
    expect((await runCli(['engine', 'dump', dump], env)).code).toBe(0);
    const restored = { DATA_DIR: join(folder, 'restored') };
    expect((await runCli(['engine', 'restore', dump], restored)).code).toBe(0);
    expect((await runCli(['engine', 'compact'], restored)).code).toBe(0);
    cpSync(join(env.DATA_DIR, 'keystore.key'), join(restored.DATA_DIR, 'keystore.key'));
    const again = await runCli(['import', join(folder, 'a-bundle.json'), '--json'], restored);
    expect(JSON.parse(again.out)).toMatchObject({ unchanged: 2, refused: [] });
    const twice = await runCli(['engine', 'restore', dump], restored);
    expect(twice.code).toBe(1);
    expect(twice.err).toMatch(/^The dump in \S+ could not be restored: .+\.\n$/);
  });

  it('engine commands report that there is no data to work on', async () => {
    const { code, err } = await runCli(['engine', 'check'], { DATA_DIR: join(folderOf(), 'none') });
    expect(code).toBe(1);
    expect(err).toMatch(/^There is no data of this engine in \S+\.\n$/);
  });

  it('cli import reports that a store at MONGODB_URI does not respond', async () => {
    const env = { MONGODB_URI: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300', DATA_DIR: folderOf() };
    const { code, err } = await runCli(['import', folderOf(CATALOG)], { ...env, LOG_LEVEL: 'silent' });
    expect(code).toBe(1);
    expect(err).toBe('The store at MONGODB_URI does not respond.\n');
  });
});

describe('cli migrate', () => {
  it('cli migrate builds the indexes of every collection, and may be run again', async () => {
    const env = { DATA_DIR: join(folderOf(), 'data') };
    const first = await runCli(['migrate'], env);
    expect(first.code).toBe(0);
    expect(first.out).toContain('indexes of credentials are built\n');
    expect(await runCli(['migrate'], env)).toEqual(first);
  });
});
