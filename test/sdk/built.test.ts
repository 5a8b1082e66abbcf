// The built client programs: their size, and what they import at run time.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const KIB = 1_024;
const folder = mkdtempSync(join(tmpdir(), 'sdk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Bytes of files of dist after gzip. */
const gzipped = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + statSync(join('dist', `${file}.gz`)).size, 0);

it('the page part is at most 8 KB', () => {
  expect(gzipped(['sdk/core.js'])).toBeLessThanOrEqual(8 * KIB);
});

it('the frame loads at most 35 KB before a code can be typed', () => {
  const { script, style } = JSON.parse(readFileSync('dist/wallet/files.json', 'utf8'));
  expect(gzipped([`wallet/${script}`, `wallet/${style}`])).toBeLessThanOrEqual(35 * KIB);
});

const chunks = (...names: string[]): string[] =>
  readdirSync('dist/wallet')
    .filter(
      (file) =>
        names.some((name) => file.startsWith(name === '' ? 'wallet-' : `wallet-${name}-`)) && /\.(js|wasm)$/.test(file),
    )
    .map((file) => `wallet/${file}`);

/** With the program of the worker. */
const OF_KEYS = ['keyring', 'worker', 'base', 'rolldown-runtime', 'decodeFunctionResult'];

it('no chunk imports the entry of a worker, which WebKit would then evaluate again', () => {
  const [entry = ''] = chunks('worker').filter((file) => !file.includes('worker-vault'));
  const code = readFileSync(join('dist', entry), 'utf8');
  const others = chunks('').filter((file) => file.endsWith('.js') && file !== entry);
  expect(code).toContain('worker-vault');
  expect(others.length).toBeGreaterThan(5);
  for (const file of others)
    expect(readFileSync(join('dist', file), 'utf8')).not.toContain(`from"./${basename(entry)}"`);
});

it('keys, signing and transactions add at most 48 KB', () => {
  expect(OF_KEYS.filter((name) => chunks(name).length === 0)).toEqual([]);
  expect(gzipped(chunks(...OF_KEYS))).toBeLessThanOrEqual(48 * KIB);
});

it('the library for apps is at most 70 KB', () => {
  expect(gzipped(['sdk/mobile.js'])).toBeLessThanOrEqual(70 * KIB);
});

it('swaps and purchases add at most 12 KB', () => {
  const files = chunks('swap', 'on-ramp', 'trade');
  expect(files.length).toBeGreaterThanOrEqual(3);
  expect(gzipped(files)).toBeLessThanOrEqual(12 * KIB);
});

it('screens of passkeys add at most 5 KB, and the ways into the backup 3 KB', () => {
  expect(chunks('passkeys', 'ways', 'set-up')).toHaveLength(3);
  expect(gzipped(chunks('passkeys'))).toBeLessThanOrEqual(5 * KIB);
  expect(gzipped(chunks('ways', 'set-up'))).toBeLessThanOrEqual(3 * KIB);
});

it('proofs add at most 2,500 KB', () => {
  const known = new Set(chunks(...OF_KEYS, 'passkeys', 'ways', 'set-up'));
  const { script } = JSON.parse(readFileSync('dist/wallet/files.json', 'utf8'));
  const files = readdirSync('dist/wallet')
    .filter((file) => /\.(js|wasm)$/.test(file) && file !== script)
    .map((file) => `wallet/${file}`)
    .filter((file) => !known.has(file));
  expect(files.some((file) => file.endsWith('.wasm'))).toBe(true);
  expect(gzipped(files)).toBeLessThanOrEqual(2_500 * KIB);
});

it('every file of the frame has its hash in the name, and both encodings beside it', () => {
  const files = readdirSync('dist/wallet').filter((name) => name !== 'files.json');
  const plain = files.filter((name) => !/\.(gz|br)$/.test(name));
  expect(plain.every((name) => /^wallet-[\w-]{8,}\.(js|css|wasm)$/.test(name))).toBe(true);
  expect(files.sort()).toEqual(plain.flatMap((name) => [name, `${name}.br`, `${name}.gz`]).sort());
});

it('the module can be imported and constructed in bare Node', () => {
  const script = `
    const { CoreService } = await import(${JSON.stringify(resolve('dist/sdk/core.js'))});
    const core = new CoreService({ partnerId: 'x', baseUrl: 'https://gateway.example' });
    console.log(core.buildEnv, core.isInitialized, await core.login().catch(({ name }) => name));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(said.trim()).toBe('sandbox false NOT_INITIALIZED');
});

it('the package is one module with its declarations, which a TypeScript page compiles against', () => {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder, resolve('dist/sdk')], {
      encoding: 'utf8',
      cwd: folder,
    }),
  );
  const names = packed.files.map(({ path }: { path: string }) => path);
  expect(names).toContain('core.js');
  expect(
    names.every((name: string) => /^((core|mobile|mobile-node)\.js|package\.json|types\/.*\.d\.ts)$/.test(name)),
  ).toBe(true);
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  mkdirSync(join(folder, 'node_modules'));
  cpSync(join(folder, 'package'), join(folder, 'node_modules', packed.name), { recursive: true });
  const compile = (source: string): string => {
    writeFileSync(join(folder, 'page.ts'), `import { CoreService } from '${packed.name}';\n${source}`);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''];
    const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler', '--ignoreConfig'];
    const tsc = resolve('node_modules/typescript/bin/tsc');
    try {
      return execFileSync(process.execPath, [tsc, 'page.ts', ...options, ...resolution], {
        cwd: folder,
        encoding: 'utf8',
      });
    } catch (error) {
      return String((error as { stdout: string }).stdout);
    }
  };
  const page = "export const id: string = (await new CoreService({ partnerId: '' }).login()).id;";
  expect(compile(page)).toBe('');
  expect(compile(page.replace(').id', ').nothing'))).toContain("'nothing' does not exist");
});
