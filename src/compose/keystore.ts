// Checks that KEYSTORE_KEY is the key of this store: the first start seals a value under it, and a process that cannot open it stops.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { DataDirError } from '../base/data-dir.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { type KeystoreRow, keyModels } from '../keys/models.js';
import { firstSealed } from '../store/rekey.js';
import type { SealContext, SealedBox } from '../keys/sealed-box.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { Store } from '../store/connection.js';
import type { ProcessLease } from '../store/process-lease.js';
import { pause } from '../store/lease.js';
import { StoreRefused } from '../store/server-check.js';
import { keystoreKeyOf, makeKeystoreKey } from './core.js';

/** KEYSTORE_KEY is not the store's key; the message is one sentence. */
export class KeystoreKeyError extends Error {
  override readonly name = 'KeystoreKeyError';
}

const RETRY_MS = 1_000;
/** What another attempt would not change. */
const FINAL = [KeystoreKeyError, DataDirError, StoreRefused];
const ID = 'keystore';
const CONTEXT: SealContext = { what: 'keystore', whose: ID };

const wrongKey = ({ isEmpty }: SealedBox) => {
  const fault = isEmpty
    ? 'KEYSTORE_KEY is not set, and the secrets in this store are sealed under one'
    : 'KEYSTORE_KEY is not the key that the secrets in this store are sealed under';
  return new KeystoreKeyError(
    `${fault}: set it to that key. A sandbox that made its own has it in keystore.key, in its DATA_DIR; after \`keys rotate\`, that file holds the key before until the new one is written to it.`,
  );
};

/**
 * Compares the key with the store's. A store without the check row gets one, unless its values are sealed under another key.
 * @throws KeystoreKeyError for another key, for none, and while a change of the key is unfinished.
 */
export async function checkKeystoreKey(
  connection: Connection,
  box: SealedBox,
  fields: readonly SealedField[],
): Promise<void> {
  const row = (await rowOf(connection)) ?? (await firstRow(connection, box, fields));
  const fault = rowFault(row, box);
  if (fault !== undefined) throw fault;
  box.sealWith(box.keyIdOf(row.sealed));
}

/** The reason why `checkKeystoreKey` would refuse this key; undefined if it would not. Changes nothing. */
export async function keystoreFault(
  connection: Connection,
  box: SealedBox,
  fields: readonly SealedField[],
): Promise<KeystoreKeyError | undefined> {
  const row = await rowOf(connection);
  if (row !== null) return rowFault(row, box);
  const value = await firstSealed(connection, fields);
  return value === undefined || box.opens(value.sealed, value.context) ? undefined : wrongKey(box);
}

function rowFault({ changing, sealed, next, before }: KeystoreRow, box: SealedBox): KeystoreKeyError | undefined {
  if (changing)
    return new KeystoreKeyError(
      'A change of KEYSTORE_KEY has begun and not ended: run `keys rotate` again with the same two keys.',
    );
  if (!box.opens(sealed, CONTEXT)) return wrongKey(box);
  if ([next, before].every((other) => other === undefined || box.opens(other, CONTEXT))) return undefined;
  return new KeystoreKeyError(
    'KEYSTORE_KEY is being changed while gateways run: set KEYSTORE_KEY to the new key and KEYSTORE_KEY_PREVIOUS to the one before.',
  );
}

/** Like `checkKeystoreKey`, but a sandbox without a key creates its own, if nothing in the store is sealed yet. */
export async function ensureKeystoreKey(
  connection: Connection,
  { box, config }: { box: SealedBox; config: Config },
  fields: readonly SealedField[],
): Promise<void> {
  if (box.isEmpty) {
    const isSealed = (await keystoreFault(connection, box, fields)) !== undefined;
    // Another process of this sandbox may have created the key meanwhile.
    const key = isSealed ? keystoreKeyOf(config) : makeKeystoreKey(config.dataDir);
    if (key !== undefined) box.begin(key);
  }
  await checkKeystoreKey(connection, box, fields);
}

interface KeystoreWatch {
  signal: AbortSignal;
  onError(error: unknown): void;
  /** Runs before anything is written. */
  first: ((connection: Connection) => Promise<void>) | undefined;
}

/**
 * Resolves when the store is reached and has this key. While the store is unreachable, the check is repeated until the signal aborts.
 * @throws KeystoreKeyError as `checkKeystoreKey` does; DataDirError when the sandbox's own key cannot be stored; StoreRefused of `first`.
 */
export async function keystoreChecked(
  { connection, connected }: Pick<Store, 'connection' | 'connected'>,
  core: { box: SealedBox; config: Config; processLease: Pick<ProcessLease, 'id'> },
  fields: readonly SealedField[],
  { signal, onError, first }: KeystoreWatch,
): Promise<void> {
  await connected;
  while (!signal.aborted) {
    try {
      await first?.(connection);
      // Gets the lease first, which contains the keys of this process, so that a rotation that begins meanwhile waits
      // for it.
      await core.processLease.id();
      return await ensureKeystoreKey(connection, core, fields);
    } catch (error) {
      if (FINAL.some((kind) => error instanceof kind)) throw error;
      onError(error);
      await pause(RETRY_MS, signal);
    }
  }
  // The process was closed before the check succeeded: the promise stays pending, because nothing awaits it.
  await new Promise(() => {});
}

/** How the two keys of a change relate to the store's check row. Without a row, `opens` is true. */
export interface KeyChangeFit {
  /** Whether one of the keys opens the row. */
  opens: boolean;
  /** Whether the store is sealed under the previous key and not under the new one. */
  isBefore: boolean;
  /** Whether a change was begun with another new key and has not ended. */
  begunWithAnother: boolean;
}

export async function keyChangeFit(connection: Connection, box: SealedBox): Promise<KeyChangeFit> {
  const row = await rowOf(connection);
  if (row === null) return { opens: true, isBefore: false, begunWithAnother: false };
  const { sealed, next, changing } = row;
  return {
    opens: box.opens(sealed, CONTEXT),
    isBefore: box.opens(sealed, CONTEXT) && !box.isCurrent(sealed),
    begunWithAnother: changing && next !== undefined && !box.isCurrent(next),
  };
}

/** Begins a change of the key: until `endKeyChange`, no gateway starts with either key. */
export async function beginKeyChange(connection: Connection, box: SealedBox): Promise<void> {
  const { keystore } = keyModels(connection);
  const sealed = box.seal('', CONTEXT);
  const begun = { changing: true, next: sealed };
  await keystore.updateOne({ _id: ID }, { $set: begun, $setOnInsert: { sealed } }, { upsert: true });
}

/** Ends a change of the key: gateways start with the new one only. */
export async function endKeyChange(connection: Connection, box: SealedBox): Promise<void> {
  const { keystore } = keyModels(connection);
  await keystore.updateOne(
    { _id: ID },
    { $set: { changing: false, sealed: box.seal('', CONTEXT) }, $unset: { next: 1, before: 1 } },
  );
}

/** The state of a rotation while gateways run. */
export interface Rotation {
  /** Id of the store's key: the one that seals. */
  sealing: string;
  /** Whether the next key is announced: no gateway starts without it. */
  announced: boolean;
  /** Whether values may still be sealed under the previous key. */
  resealing: boolean;
  /** When the last value was sealed again. */
  resealedAt: Date | undefined;
}

/** The state of a rotation. */
export async function rotationOf(connection: Connection, box: SealedBox): Promise<Rotation | undefined> {
  const row = await rowOf(connection);
  if (row === null || row.changing) return undefined;
  const { sealed, next, before, resealedAt } = row;
  const sealing = box.keyIdOf(sealed);
  return { sealing, announced: next !== undefined, resealing: before !== undefined, resealedAt };
}

/** Announces KEYSTORE_KEY as the store's next key. */
export async function announceKey(connection: Connection, box: SealedBox): Promise<void> {
  const next = box.sealUnder(box.keyIds[0] ?? '', '', CONTEXT);
  await keyModels(connection).keystore.updateOne({ _id: ID, next: { $exists: false } }, { $set: { next } });
}

/** Makes the announced key the store's key. */
export async function useNextKey(connection: Connection): Promise<void> {
  const { keystore } = keyModels(connection);
  const row = await rowOf(connection);
  if (row?.next === undefined) return;
  const { sealed: before, next: sealed } = row;
  const change = { $set: { sealed, before }, $unset: { next: 1 as const, resealedAt: 1 as const } };
  await keystore.updateOne({ _id: ID, sealed: before, next: sealed }, change);
}

/** Ends a rotation: nothing is sealed under the previous key any more, except values that expire within a day. */
export async function endRotation(connection: Connection, now: Date): Promise<void> {
  const change = { $set: { resealedAt: now }, $unset: { before: 1 as const } };
  await keyModels(connection).keystore.updateOne({ _id: ID, before: { $exists: true } }, change);
}

function rowOf(connection: Connection): Promise<KeystoreRow | null> {
  return keyModels(connection).keystore.findById(ID).lean<KeystoreRow>().exec();
}

/** Writes the row once across all processes, and returns the stored one. */
async function firstRow(connection: Connection, box: SealedBox, fields: readonly SealedField[]): Promise<KeystoreRow> {
  const value = await firstSealed(connection, fields);
  if (value !== undefined && !box.opens(value.sealed, value.context)) throw wrongKey(box);
  if (value !== undefined) box.sealWith(box.keyIdOf(value.sealed));
  const row: Omit<KeystoreRow, '_id'> = { sealed: box.seal('', CONTEXT), changing: false };
  try {
    await keyModels(connection).keystore.updateOne({ _id: ID }, { $setOnInsert: row }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const stored = await rowOf(connection);
  if (stored === null) throw new Error('The row of the key store was written and is not there.');
  return stored;
}
