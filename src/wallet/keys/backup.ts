// The backup of a holder's keys: encrypted under a random key, which is encrypted once for each method of opening it. The gateway can decrypt
// neither the keys nor that key.
import { fromBase32, fromBase64, fromHex, randomBytes, toBase32, toBase64, toHex, utf8 } from './bytes.js';
import { type Sealed, seal, unseal } from './encryption.js';
import { derived, FOR_WRAP } from './hkdf.js';

/** A holder's keys: 32 bytes each, in base64. The newest holder key is the first. */
export interface Keys {
  accountKey: string;
  holderKeys: string[];
}

/** The key of a backup, encrypted for one method of opening it. */
export interface Wrap extends Sealed {
  kind: 'recovery' | 'passkey';
  id?: string;
}

/** PUT /v1/holders/me/key-backup. */
export interface Backup extends Sealed {
  wraps: Wrap[];
  recoveryProofHash?: string;
}

/** The secrets with which the holder's client encrypts a backup again; stored with the keys. */
export interface BackupSecrets {
  backupKey: string;
  wraps: Wrap[];
  /** 32 bytes in hex, which prove to the gateway that the holder has the recovery code; only where it was shown or entered. */
  recoveryProof?: string | undefined;
  recoveryProofHash?: string | undefined;
}

/** A way into a backup: the recovery code, or a passkey with the key that its PRF output gives. */
export type Way = { code: Uint8Array<ArrayBuffer> } | { id: string; wrapKey: Uint8Array<ArrayBuffer> };

const CODE_BYTES = 20;
const FOR_PROOF = 'core/recovery/v1';

/** A new recovery code: 160 bits, in groups of four. */
export const newRecoveryCode = (): string => toBase32(randomBytes(CODE_BYTES)).replaceAll(/....(?=.)/g, '$& ');

/** The bytes of a code as a person types it; undefined if it is not a valid code. */
export function readRecoveryCode(text: string): Uint8Array<ArrayBuffer> | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('0', 'O').replaceAll('1', 'I');
  const bytes = fromBase32(letters.replaceAll('8', 'B'));
  return bytes?.length === CODE_BYTES ? bytes : undefined;
}

export const recoveryProofOf = async (code: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await derived(code, FOR_PROOF));

/** SHA-256 of a recovery proof; both in hex. */
const proofHashOf = async (recoveryProof: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', fromHex(recoveryProof))));

/** The key that encrypts a backup's key for a way. */
const keyOf = (way: Way): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> =>
  'code' in way ? derived(way.code, FOR_WRAP) : way.wrapKey;

const isOf =
  (way: Way) =>
  ({ kind, id }: Wrap): boolean =>
    'code' in way ? kind === 'recovery' : id === way.id;

/** Adds a way into a backup. A recovery code replaces the one before. */
export async function withWay(secrets: BackupSecrets, way: Way): Promise<BackupSecrets> {
  const sealed = await seal(await keyOf(way), fromBase64(secrets.backupKey));
  const wrap: Wrap = 'code' in way ? { kind: 'recovery', ...sealed } : { kind: 'passkey', id: way.id, ...sealed };
  const wraps = [...secrets.wraps.filter((one) => !isOf(way)(one)), wrap];
  if ('id' in way) return { ...secrets, wraps };
  const recoveryProof = await recoveryProofOf(way.code);
  return { ...secrets, wraps, recoveryProof, recoveryProofHash: await proofHashOf(recoveryProof) };
}

/** Encrypts the backup of keys, for the holder with a DID. */
export async function writeBackup(
  { accountKey, holderKeys }: Keys,
  secrets: BackupSecrets,
  did: string,
): Promise<Backup> {
  const text = JSON.stringify({ v: 1, accountKey, holderKeys });
  const { backupKey, wraps, recoveryProofHash } = secrets;
  const sealed = await seal(fromBase64(backupKey), utf8(text), did);
  return { ...sealed, wraps, ...(recoveryProofHash === undefined ? {} : { recoveryProofHash }) };
}

/** The keys in a backup; undefined if it is encrypted under another key, belongs to another holder, or is damaged. */
export async function readBackup(backup: Backup, backupKey: string, did: string): Promise<Keys | undefined> {
  const plain = await unseal(fromBase64(backupKey), backup, did);
  if (plain === undefined) return undefined;
  const { v, accountKey, holderKeys } = JSON.parse(new TextDecoder().decode(plain)) as Keys & { v: number };
  return v === 1 ? { accountKey, holderKeys } : undefined;
}

/** The secrets of a backup; undefined if the way does not decrypt them. */
export async function openBackup({ wraps, recoveryProofHash }: Backup, way: Way): Promise<BackupSecrets | undefined> {
  const wrapKey = await keyOf(way);
  for (const wrap of wraps.filter(isOf(way))) {
    const backupKey = await unseal(wrapKey, wrap);
    if (backupKey === undefined) continue;
    const recoveryProof = 'code' in way ? await recoveryProofOf(way.code) : undefined;
    return { backupKey: toBase64(backupKey), wraps, recoveryProofHash, recoveryProof };
  }
  return undefined;
}
