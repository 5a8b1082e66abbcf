// The example of typed clients: its types are those of the committed documents, TypeScript 5 compiles it, and it runs against a sandbox.
import { execFile, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadSample } from '../../src/catalog/sample/sample.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { scratchFolder } from '../support/process.js';

const EXAMPLE = 'examples/typed-clients';
const CONSOLE = '../../tools/console-codegen.yml';
const REST_TYPES = 'src/generated/rest.ts';
const MANIFEST = `${EXAMPLE}/src/generated/graphql/persisted-documents.json`;
const run = promisify(execFile);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** Runs a package's command in the example's folder. @throws Error with what it prints when its exit code is not 0. */
async function command(name: string, bin: string, ...args: string[]): Promise<string> {
  // The example has versions of its own of some packages, such as TypeScript 5.
  const file = createRequire(resolve(EXAMPLE, 'package.json')).resolve(`${name}/package.json`);
  const script = join(file, '..', read(file).bin[bin]);
  const { stdout } = await run(process.execPath, [script, ...args], { cwd: EXAMPLE });
  return stdout;
}

/** A gateway with the sample catalog. */
async function sandbox(env: Record<string, string> = {}): Promise<TestGateway> {
  const gateway = await startGateway({ env });
  onTestFinished(() => gateway.close());
  await loadSample(gateway.app.services.catalogAdmin);
  return gateway;
}

async function outputOf(program: string, url: string): Promise<string> {
  const { stdout } = await run(process.execPath, [`${EXAMPLE}/dist/${program}.js`, url]);
  return stdout;
}

/** Runs a program until the test is finished; returns what it has printed. */
function started(program: string, url: string): () => string {
  const child = spawn(process.execPath, [`${EXAMPLE}/dist/${program}.js`, url]);
  onTestFinished(() => void child.kill());
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return () => output;
}

/** What most tests read from; nobody has sent it a document before. */
let shared: TestGateway;
beforeAll(async () => {
  await command('typescript', 'tsc');
  shared = await startGateway();
  await loadSample(shared.app.services.catalogAdmin);
});
afterAll(() => shared?.close());

describe('The typed clients', () => {
  it('have the types of the committed schema and OpenAPI document (npm run clients writes them)', async () => {
    await command('@graphql-codegen/cli', 'graphql-codegen', '--check');
    await command('@graphql-codegen/cli', 'graphql-codegen', '--config', CONSOLE, '--check');
    await command('openapi-typescript', 'openapi-typescript', '../../openapi.json', '--output', REST_TYPES, '--check');
  });

  it('do not compile with what the gateway does not have', async () => {
    const folder = scratchFolder();
    const source = (file: string) => JSON.stringify(resolve(EXAMPLE, 'src', file));
    writeFileSync(
      join(folder, 'wrong.ts'),
      `import { PopularDocument } from ${source('generated/graphql/graphql.js')};
import { GraphqlClient } from ${source('graphql-client.js')};
import { bodyOf, createRestClient } from ${source('rest-client.js')};
const { credentials } = await new GraphqlClient('').query(PopularDocument, { first: 'three' });
credentials.nodes[0]?.surname;
const rest = createRestClient('');
bodyOf(await rest.GET('/v1/catalog/issuers', { params: { query: { limit: 3 } } })).data.surnames;
await rest.GET('/v1/catalog/nothing', {});
`,
    );
    const config = { extends: resolve(EXAMPLE, 'tsconfig.json'), include: ['.'], compilerOptions: { noEmit: true } };
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const options = ['-p', folder, '--rootDir', '/', '--typeRoots', resolve('node_modules/@types')];
    const failure = command('typescript', 'tsc', ...options);
    const printed = await failure.catch(({ stdout }: { stdout: string }) => stdout);
    expect(printed.match(/wrong\.ts\(\d+,\d+\): error TS\d+/g)?.map((error) => error.replace(/,\d+/, ''))).toEqual([
      'wrong.ts(4): error TS2322',
      'wrong.ts(5): error TS2339',
      'wrong.ts(7): error TS2339',
      'wrong.ts(8): error TS2345',
    ]);
  });

  it('send a hash, and the text when the gateway asks for it', async () => {
    const { url } = shared;
    const methods: string[] = [];
    const record = (message: unknown) => methods.push(`${(message as { request: IncomingMessage }).request.method}`);
    subscribe('http.server.request.start', record);
    onTestFinished(() => void unsubscribe('http.server.request.start', record));
    await outputOf('catalog', url);
    expect(methods.splice(0)).toEqual(['GET', 'POST', 'GET']);
    await outputOf('catalog', url);
    expect(methods).toEqual(['GET', 'GET']);
  });

  it('read the catalog, nested and page by page', async () => {
    const { url } = shared;
    const output = await outputOf('catalog', url);
    expect(output).toMatch(/^page 1 of 62 credentials\n {2}Identity check, by Veridian Identity Checks: \d+ holders\n/);
    expect(output).toContain('for Served countries of Palisade Exchange: countryCode not in ["KP", "IR", "SY"]');
    expect(output.split('page 2 of 62')[1]).not.toContain('Identity check,');
  });

  it('call routes with parameters, and read a refusal', async () => {
    const output = await outputOf('rest', shared.url);
    expect(output).toContain('3 of 5 credentials in Education\n  enrolment-brightwater: ');
    expect(output).toContain('  gradeAverage: number, optional\n');
    expect(output).toContain('1 issuers for "university"\n  Lumen University\n');
    expect(output).toMatch(/404: The credential no-such was not found\.\n$/);
  });

  it('run where only the documents of their manifest may', async () => {
    const gateway = await sandbox({ TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_FILE: MANIFEST });
    expect(await outputOf('catalog', gateway.url)).toContain('page 2 of 62 credentials');
    const printed = started('watch', gateway.url);
    let changes = 0;
    await expect
      .poll(
        async () => {
          // Again until the subscription has begun.
          changes += 1;
          const body = { name: `Harbour ${changes}`, verifierDid: 'did:web:harbour.example' };
          await gateway.admin('PUT', '/v1/admin/verifiers/harbour', { body });
          return printed();
        },
        { interval: 250 },
      )
      .toMatch(/catalog_entry_(added|changed) verifiers\/harbour: Harbour \d+, did:web:harbour\.example\n/);
  });
});
