// Compiles src to dist, and bundles web into dist/pages, unless they are of these sources. Runs in `npm ci` and before each command that starts what is built.
// Types are checked by `npm run typecheck`, which takes ten times as long.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAMP = 'dist/.sources';
const COMPILER = 'node_modules/typescript/bin/tsc';

/** A hash of everything that the compiler reads of ours, and of the versions that it reads of others. */
function sourcesHash() {
  const sources = readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts'));
  const hash = createHash('sha256');
  for (const file of ['tsconfig.json', 'package-lock.json', ...sources.sort().map((name) => join('src', name))])
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function build() {
  // An image or a package has what is built, and no sources.
  if (!existsSync('src')) return;
  const sources = sourcesHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  if (!existsSync(COMPILER)) {
    // `npm ci --omit=dev` installs no compiler: what is started later must have been built elsewhere.
    if (process.env.npm_lifecycle_event === 'prepare') return;
    fail('dist is not built from these sources, and the compiler is not installed: run npm ci, without --omit=dev.');
  }
  const { status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.json', '--noCheck'], { stdio: 'inherit' });
  if (status !== 0) fail('The sources do not compile.');
  chmodSync('dist/cli/main.js', 0o755);
  writeFileSync(STAMP, sources);
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
build();
if (existsSync('web')) await (await import('./bundle-pages.mjs')).bundlePages();
