// Declarations of the part for apps in Node; its code is src/wallet/mobile/node.ts.
import type { StoragePort } from './types.js';

/** Storage in a file that only its owner can read (mode 0600). */
export declare function fileStorage(path: string): StoragePort;
