// A folder like a production installation: the build, and the packages that `npm ci --omit=dev` installs.
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface Locked {
  dev?: boolean;
  optional?: boolean;
}

/** The folders of the packages that are installed in production, from the lock file. */
export function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  return Object.entries(packages).flatMap(([path, { dev }]) => (path === '' || dev ? [] : [path]));
}

/** The files that an image has beside its packages (Dockerfile). */
const FILES = ['dist', 'contracts/artifacts', 'package.json', 'schema.graphql', 'openapi.json'];

/** Creates such a folder. @returns its path. */
export function installProduction(folder: string): string {
  for (const file of FILES) cpSync(file, join(folder, file), { recursive: true });
  for (const path of productionPackages()) {
    // A package inside another one is copied with that one.
    if (path.lastIndexOf('node_modules/') > 0) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(resolve(path), join(folder, path));
  }
  return folder;
}
