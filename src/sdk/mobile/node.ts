// The declarations of what apps in Node use, which is built from src/wallet/mobile/node.ts.
import type { StoragePort } from './types.js';

/** Storage in a file that only its owner can read (mode 0600). */
export declare function fileStorage(path: string): StoragePort;
