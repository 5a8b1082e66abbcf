// The ports of apps that run in Node.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoragePort } from '../../sdk/mobile/types.js';

/** Storage in a file that only its owner can read (mode 0600). */
export function fileStorage(path: string): StoragePort {
  return {
    async read() {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async write(text) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const draft = `${path}.${process.pid}.draft`;
      await writeFile(draft, text, { mode: 0o600 });
      await rename(draft, path);
    },
  };
}
