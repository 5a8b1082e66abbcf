// The program of the devnet: anvil, an optional dependency whose binary is a separate package for each platform.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The binary's path; undefined if it is not installed, or does not exist for this platform. */
export function anvilPath(): string | undefined {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
  const platform = `@foundry-rs/anvil-${process.platform}-${ARCHITECTURES[process.arch]}`;
  // If the platform's package is missing, the install script of the main package has fetched the binary.
  return [folderOf(platform, 'bin'), folderOf('@foundry-rs/anvil', 'dist')]
    .flatMap((folder) => (folder === undefined ? [] : [join(folder, name)]))
    .find((path) => existsSync(path));
}

function folderOf(packageName: string, folder: string): string | undefined {
  try {
    return join(dirname(require.resolve(`${packageName}/package.json`)), folder);
  } catch {
    return undefined;
  }
}
