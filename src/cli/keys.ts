// `keys rotate` changes KEYSTORE_KEY while no gateway runs; `keys withdraw` withdraws a BBS key, also while gateways run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import { KEYSTORE_KEY_FILE, keystoreBoxOf, keystoreKeyOf } from '../compose/core.js';
import { sealedFields } from '../compose/domains.js';
import { beginKeyChange, endKeyChange, keyChangeFit } from '../compose/keystore.js';
import { keyModels } from '../keys/models.js';
import { KEYSTORE_KEY_BYTES, SealedBox } from '../keys/sealed-box.js';
import { ZkKeys } from '../keys/zk/keys.js';
import { openStore } from '../store/connection.js';
import { MAY_RUN, processLeaseModels } from '../store/process-rows.js';
import { rekey, surveySealed } from '../store/rekey.js';
import { readBytes } from './file-fault.js';
import { countOf } from './output.js';
import { openStoreBeside, requireStore } from './store-beside.js';

/**
 * Seals everything under the configured KEYSTORE_KEY; `beforeFile` contains the previous one, in base64. It first
 * checks all values, and changes nothing if one cannot be opened. After an interruption, run it again to continue.
 * Returns the lines to print.
 * @throws DomainError BAD_USER_INPUT with the reason; CONFLICT while a gateway runs.
 */
export async function rotateKeys(config: Config, beforeFile: string): Promise<string> {
  const before = keyIn(beforeFile);
  if (before.length !== KEYSTORE_KEY_BYTES)
    throw badInput(`${beforeFile} must contain the previous KEYSTORE_KEY: ${KEYSTORE_KEY_BYTES} bytes in base64.`);
  const current = keystoreKeyOf(config);
  if (current === undefined)
    throw badInput('There is no new key: set KEYSTORE_KEY to it, or write it to keystore.key in DATA_DIR.');
  if (before.equals(current))
    throw badInput(`${beforeFile} contains the configured KEYSTORE_KEY, not the previous one.`);
  requireStore(config);
  const store = await openStore(config);
  try {
    await store.connected;
    const sentence = await rotate(store.connection, new SealedBox(current, [before]), beforeFile);
    return `${sentence}. ${nextStep(config, current)}`;
  } finally {
    await store.close();
  }
}

/** Withdraws a BBS key; running gateways stop signing with it within ten seconds. @throws DomainError NOT_FOUND. */
export async function withdrawKey(config: Config, kid: string): Promise<string> {
  requireStore(config);
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    const box = keystoreBoxOf(config);
    await new ZkKeys({ models: keyModels(store.connection), box, threads: undefined, clock: Date.now }).withdraw(kid);
    return `The key ${kid} is withdrawn: credentials signed with it can no longer be proven.`;
  } finally {
    await store.close();
  }
}

async function rotate(connection: Connection, box: SealedBox, beforeFile: string): Promise<string> {
  await refuseGateways(connection);
  const { current, earlier, faults } = await surveySealed(sealedFields(connection), box);
  const { opens, isBefore, begunWithAnother } = await keyChangeFit(connection, box);
  // A change that has not sealed anything yet may continue with any key.
  if (begunWithAnother && faults.length > 0)
    throw badInput(
      'A change to another new KEYSTORE_KEY is in progress: set KEYSTORE_KEY to that key, and run the same command again. Nothing was changed.',
    );
  if (!opens || (faults.length > 0 && current + earlier === 0))
    throw badInput(
      `This store is sealed neither under KEYSTORE_KEY nor under the key in ${beforeFile}. Nothing was changed.`,
    );
  if (faults.length > 0)
    throw badInput(
      `${faults.join('\n')}\nNothing was changed: ${countOf(current, 'value is', 'values are')} sealed under the new KEYSTORE_KEY, ${earlier} under the previous one. Correct the faults above first.`,
    );
  await beginKeyChange(connection, box);
  // One that started until now may have found the key before; from now on none starts.
  await refuseGateways(connection);
  const count = await rekey(sealedFields(connection), box);
  await endKeyChange(connection, box);
  const sum = current > 0 ? ` (${countOf(current, 'was', 'were')} already)` : '';
  const sealed = `${countOf(count, 'value is', 'values are')} sealed under the new KEYSTORE_KEY${sum}`;
  // If no value was sealed under a key, it may not be the previous one.
  return count > 0 || isBefore
    ? `${sealed}; the previous one can be destroyed`
    : `${sealed}; nothing was sealed under the key in ${beforeFile}`;
}

/** A running gateway would go on sealing with the previous key, and nothing would open these values. @throws DomainError CONFLICT. */
async function refuseGateways(connection: Connection): Promise<void> {
  if ((await processLeaseModels(connection).processes.exists(MAY_RUN)) === null) return;
  throw new DomainError(
    'CONFLICT',
    'A gateway runs on this store, or was killed less than a minute ago: stop every gateway, and run this again. To change the key while gateways run, use KEYSTORE_KEY_PREVIOUS.',
  );
}

/** The message that says where gateways find the new key. */
function nextStep({ dataDir, keystoreKey }: Config, current: Buffer): string {
  const file = join(dataDir, KEYSTORE_KEY_FILE);
  if (keystoreKey === undefined) return `Gateways find the new one in ${file}.`;
  const start = 'Start gateways with the new KEYSTORE_KEY';
  return existsSync(file) && !holds(file, current)
    ? `${start}, or write it to ${file}, which holds another one until then.`
    : `${start}.`;
}

function holds(file: string, key: Buffer): boolean {
  try {
    return keyIn(file).equals(key);
  } catch {
    return false;
  }
}

const keyIn = (file: string): Buffer => Buffer.from(readBytes(file).toString().trim(), 'base64');
