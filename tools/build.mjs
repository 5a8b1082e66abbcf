// Bundles src into dist, its client programs into dist/wallet, dist/console and dist/sdk, and web into dist/pages, unless they are of these sources. Runs in `npm ci` and before each command that starts what is built.
// Types are checked by `npm run typecheck`, which takes ten times as long.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STAMP = 'dist/.sources';
const COMMIT = 'dist/commit';
const BUNDLER = 'node_modules/rolldown';
/** What decides beside the sources. */
const OTHERS = ['tsconfig.json', 'package-lock.json', 'tools/bundle.mjs'];

/** Sources that are built by tools/bundle-client.mjs. */
const BROWSER = /^src[\\/](console|sdk|wallet)[\\/]/;

/** A hash of everything that the bundler reads of ours, and of the versions that it reads of others. */
function sourcesHash() {
  // Without their types, Node asks the system for each name.
  const sources = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !BROWSER.test(path));
  const hash = createHash('sha256');
  for (const file of [...OTHERS, ...sources.sort()]) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

/** Writes which commit this is: that of the repository here, else GATEWAY_COMMIT, for images, which are built without one. */
function writeCommit() {
  const args = '--no-optional-locks --git-dir=.git describe --always --dirty --abbrev=12 --exclude=*'.split(' ');
  const { stdout } = spawnSync('git', args, { encoding: 'utf8' });
  const commit = stdout?.trim() || (process.env.GATEWAY_COMMIT ?? '');
  if (existsSync(COMMIT) && readFileSync(COMMIT, 'utf8') === commit) return;
  try {
    writeFileSync(COMMIT, commit);
  } catch (error) {
    // A user who may not write here runs what another one has built.
    if (!['EACCES', 'EROFS'].includes(error.code)) throw error;
  }
}

async function build() {
  // An image or a package has what is built, and no sources.
  if (!existsSync('src')) return;
  await bundle();
  if (existsSync('dist')) writeCommit();
}

async function bundle() {
  const sources = sourcesHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === sources) return;
  if (!existsSync(BUNDLER)) {
    // `npm ci --omit=dev` installs no bundler: what is started later must have been built elsewhere.
    if (process.env.npm_lifecycle_event === 'prepare') return;
    fail('dist is not built from these sources, and the bundler is not installed: run npm ci, without --omit=dev.');
  }
  const { bundleSources } = await import('./bundle.mjs');
  await bundleSources().catch((error) => {
    console.log(error.message);
    fail('The sources do not compile.');
  });
  chmodSync('dist/cli/main.js', 0o755);
  writeFileSync(STAMP, sources);
}

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await build();
if (existsSync('src/wallet')) await (await import('./bundle-client.mjs')).bundleClient();
if (existsSync('web')) await (await import('./bundle-pages.mjs')).bundlePages();
