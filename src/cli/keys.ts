// `keys rotate`: gives the key store a new KEYSTORE_KEY, while no gateway runs.
import { readFileSync } from 'node:fs';
import type { Config } from '../config.js';
import { badInput, DomainError } from '../errors.js';
import { keystoreKeyOf } from '../identity.js';
import { KEYSTORE_KEY_BYTES, SealedBox } from '../keys/sealed-box.js';
import { rekey } from '../rekey.js';
import { openStore } from '../store.js';

/** Seals everything under the configured KEYSTORE_KEY; `beforeFile` holds the one before, in base64. Answers what to print. */
export async function rotateKeys(config: Config, beforeFile: string): Promise<string> {
  const before = Buffer.from(textOf(beforeFile).trim(), 'base64');
  if (before.length !== KEYSTORE_KEY_BYTES) {
    throw badInput(`${beforeFile} must hold the KEYSTORE_KEY before: ${KEYSTORE_KEY_BYTES} bytes in base64.`);
  }
  const store = await openStore(config);
  try {
    await store.connected;
    const count = await rekey(store.connection, new SealedBox(keystoreKeyOf(config), [before]));
    return `${count} values are sealed under the new KEYSTORE_KEY; the one before can be destroyed`;
  } finally {
    await store.close();
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be read.`, {}, { cause });
  }
}
