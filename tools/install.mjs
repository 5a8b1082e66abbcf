// Installs packages that have a lock file of their own, unless they are installed already: node tools/install.mjs <folder> …
// They are for tests and benchmarks alone, and no part of the gateway's own installation.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether npm has installed this folder since its lock file was last written. */
function isInstalled(folder) {
  const [lock, stamp] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) => join(folder, name));
  return existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lock).mtimeMs;
}

for (const folder of process.argv.slice(2)) {
  if (isInstalled(folder)) continue;
  console.error(`npm ci in ${folder}`);
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}
