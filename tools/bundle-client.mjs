// Bundles the client programs: src/wallet into dist/wallet and src/console into dist/console, with names that hold a hash, beside each its gzip and
// brotli; src/sdk into dist/sdk, a package with one module and its declarations. Runs in tools/build.mjs; again only when their sources or the
// lockfile have changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { wasmAsFile } from './wasm-as-file.mjs';

const SDK = 'dist/sdk';
const WALLET = 'dist/wallet';
const CONSOLE = 'dist/console';
const STAMP = `${SDK}/.sources`;
const SOURCES = ['src/sdk', 'src/wallet', 'src/console', 'src/zk', 'src/conditions', 'src/common', 'src/base/json'];
/** What is in the folders beside the files of the bundler. */
const KEPT = ['.sources', 'documents.json', 'files.json', 'package.json', 'types'];
const OTHERS = [
  'package-lock.json',
  'package.json',
  'tsconfig.browser.json',
  'tsconfig.sdk.json',
  'tools/bundle-client.mjs',
  'tools/wasm-as-file.mjs',
];
const LIBRARIES = ['preact', 'penpal', 'typescript', '@urql/preact', 'uplot', 'wouter-preact'];

function sourcesHash() {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const hash = createHash('sha256');
  for (const file of [...OTHERS, ...files.sort()]) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** Bundles one program for browsers. @returns its files, by name. */
export async function bundleForWeb(input, options = {}, define = {}, plugins = []) {
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input,
    platform: 'browser',
    external: [/^node:/],
    plugins: [...plugins, wasmAsFile],
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, define },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, ...options });
  await bundle.close();
  return new Map(output.map(({ fileName, code, source }) => [fileName, code ?? source]));
}

const hashOf = (text) => createHash('sha256').update(text).digest('base64url').replaceAll(/[-_]/g, '').slice(0, 12);

/** Brotli's best takes ten seconds for the module of proofs, and saves a tenth. */
const qualityFor = (content) => (content.length > 1_000_000 ? 5 : 11);

/** Writes files, and beside each its gzip and brotli, then removes those of earlier builds: another build may run at the same time. */
function writeFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  const written = new Set(KEPT);
  const write = (name, content) => {
    writeFileSync(join(folder, name), content);
    written.add(name);
  };
  for (const [name, text] of files) {
    write(name, text);
    write(`${name}.gz`, gzipSync(text, { level: 9 }));
    write(`${name}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: qualityFor(text) } }));
  }
  for (const name of readdirSync(folder)) if (!written.has(name)) rmSync(join(folder, name), { force: true });
}

/**
 * Writes a program with pages of its own, and `files.json`, which names what its page loads first.
 * @param worker the entry of its worker, whose file's name replaces WORKER_FILE
 */
async function bundleProgram(name, input, style, folder, worker) {
  const names = {
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: `${name}-[name]-[hash].js`,
    assetFileNames: `${name}-[name]-[hash][extname]`,
  };
  const ofWorker = worker ? await bundleForWeb({ [`${name}-worker`]: worker }, names) : new Map();
  const [workerFile = ''] = ofWorker.keys();
  // WebKit would evaluate it once more for each of them.
  const importer = [...ofWorker].find(([, code]) => workerFile !== '' && code.includes(`from"./${workerFile}"`));
  if (importer) throw new Error(`${importer[0]} imports the entry of its worker, ${workerFile}.`);
  const program = await bundleForWeb({ [name]: input }, names, { WORKER_FILE: JSON.stringify(workerFile) });
  const sheet = `${name}-${hashOf(style)}.css`;
  const [script] = program.keys();
  writeFiles(folder, new Map([...ofWorker, ...program, [sheet, style]]));
  writeFileSync(join(folder, 'files.json'), JSON.stringify({ script, style: sheet }));
}

/** Writes the files of the wallet. */
export const bundleWallet = (input = 'src/wallet/main.tsx', folder = WALLET) =>
  bundleProgram('wallet', input, readFileSync('src/wallet/wallet.css', 'utf8'), folder, 'src/wallet/keys/worker.ts');

/** Writes the files of the console, and the texts of its GraphQL documents, which the gateway runs by their hashes. */
async function bundleConsole() {
  const sheets = ['node_modules/uplot/dist/uPlot.min.css', 'src/console/console.css'];
  const style = sheets.map((file) => readFileSync(file, 'utf8')).join('\n');
  await bundleProgram('console', 'src/console/main.tsx', style, CONSOLE, 'src/console/partner/batch-worker.ts');
  copyFileSync('src/console/api/generated/persisted-documents.json', join(CONSOLE, 'documents.json'));
}

/** Apps issue and prove nothing: what only that loads is left out of their library. */
const withoutProofs = {
  name: 'without-proofs',
  resolveId: (id) => (/\/(zk\/holder|credentials\/(issue|verify))\.js$/.test(id) ? '\0none' : null),
  load: (id) => (id === '\0none' ? 'export {};' : null),
};

async function bundleSdk() {
  const names = { codeSplitting: false, entryFileNames: '[name].js' };
  const core = await bundleForWeb({ core: 'src/sdk/web/index.ts' }, names);
  const mobile = await bundleForWeb({ mobile: 'src/wallet/mobile/index.ts' }, names, {}, [withoutProofs]);
  const node = await bundleForWeb({ 'mobile-node': 'src/wallet/mobile/node.ts' }, names);
  writeFiles(SDK, new Map([...core, ...mobile, ...node]));
  declareTypes();
  const { version, license, name } = JSON.parse(readFileSync('package.json', 'utf8'));
  const types = './types/web/index.d.ts';
  const manifest = {
    name: `${name}-sdk`,
    version,
    license,
    description: 'Login, wallet and credentials of the credential network in web pages and apps.',
    type: 'module',
    sideEffects: false,
    main: './core.js',
    types,
    exports: {
      '.': { types, default: './core.js' },
      './mobile': { types: './types/mobile/index.d.ts', default: './mobile.js' },
      './mobile/node': { types: './types/mobile/node.d.ts', default: './mobile-node.js' },
    },
    files: ['core.js', 'mobile.js', 'mobile-node.js', 'types'],
  };
  writeFileSync(join(SDK, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Writes the declarations, by tsc. @throws what is wrong with the sources. */
function declareTypes() {
  const args = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.sdk.json'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
}

/** Writes dist/wallet, dist/console and dist/sdk, unless they are of these sources. Returns without a word where the libraries are not installed. */
export async function bundleClient() {
  if (!LIBRARIES.every((name) => existsSync(join('node_modules', name)))) return;
  const sources = sourcesHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  await bundleWallet();
  await bundleConsole();
  await bundleSdk();
  writeFileSync(STAMP, sources);
}
