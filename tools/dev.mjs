// `npm run dev`: builds and starts the gateway, and again after each change below src. While the sources do not compile, the last build runs on.
// Each folder is watched separately: Node 20's recursive watch on Linux loses files that an editor replaces.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Editors write a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 200;
/** Debuggers attach to port 9229. */
const START = ['--inspect', '--enable-source-maps', 'dist/process/main.js', ...process.argv.slice(2)];

let gateway;
let isEnding = false;
let watchers = [];
let nextChange = Promise.resolve();

function start() {
  const child = spawn(process.execPath, START, { stdio: 'inherit' });
  gateway = child;
  child.once('exit', (code) => {
    gateway = undefined;
    if (code !== 0 && !isEnding) console.error('The gateway has ended; it starts again after the next change.');
  });
}

/** Resolves when the running gateway has ended. @param signal undefined: it has received one already. */
async function end(signal) {
  if (gateway === undefined) return;
  const ended = new Promise((done) => gateway.once('exit', done));
  if (signal !== undefined) gateway.kill(signal);
  await ended;
}

async function rebuild() {
  const { status } = spawnSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });
  if (status !== 0 || isEnding) return;
  await end('SIGTERM');
  if (!isEnding) start();
}

/** Watches the folders of src as they are now. */
function watchFolders() {
  for (const watcher of watchers) watcher.close();
  const files = readdirSync('src', { recursive: true, withFileTypes: true });
  const folders = files.filter((file) => file.isDirectory()).map((file) => join(file.parentPath, file.name));
  nextChange = new Promise((changed) => {
    watchers = ['src', ...folders].map((folder) => watch(folder, changed));
  });
}

async function stop(signal) {
  isEnding = true;
  await end(signal);
  process.exit(0);
}

process.once('SIGTERM', () => stop('SIGTERM'));
// Ctrl-C reaches the gateway too.
process.once('SIGINT', () => stop());
process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
while (!isEnding) {
  await nextChange;
  await delay(SETTLE_MS);
  watchFolders();
  await rebuild();
}
