// The backup of a holder's keys: encrypted under a random key, which is encrypted once for each method of opening it. The gateway can decrypt
// neither the keys nor that key.
import { fromBase32, fromBase64, fromHex, randomBytes, toBase32, toBase64, toHex, utf8 } from './bytes.js';
import { derived, type Sealed, seal, unseal } from './encryption.js';

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
  /** 32 bytes in hex, which prove to the gateway that the holder has the recovery code. */
  recoveryProof: string;
}

const CODE_BYTES = 20;
const FOR_WRAP = 'core/backup/v1';
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

/** A new random key, encrypted for a recovery code. */
export async function newBackupSecrets(code: Uint8Array<ArrayBuffer>): Promise<BackupSecrets> {
  const backupKey = randomBytes(32);
  const wrap = await seal(await derived(code, FOR_WRAP), backupKey);
  const recoveryProof = await recoveryProofOf(code);
  return { backupKey: toBase64(backupKey), wraps: [{ kind: 'recovery', ...wrap }], recoveryProof };
}

/** Encrypts the backup of keys, for the holder with a DID. */
export async function writeBackup(
  { accountKey, holderKeys }: Keys,
  secrets: BackupSecrets,
  did: string,
): Promise<Backup> {
  const text = JSON.stringify({ v: 1, accountKey, holderKeys });
  const { backupKey, wraps, recoveryProof } = secrets;
  const recoveryProofHash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', fromHex(recoveryProof))));
  return { ...(await seal(fromBase64(backupKey), utf8(text), did)), wraps, recoveryProofHash };
}

/** The keys in a backup; undefined if it is encrypted under another key, belongs to another holder, or is damaged. */
export async function readBackup(backup: Backup, backupKey: string, did: string): Promise<Keys | undefined> {
  const plain = await unseal(fromBase64(backupKey), backup, did);
  if (plain === undefined) return undefined;
  const { v, accountKey, holderKeys } = JSON.parse(new TextDecoder().decode(plain)) as Keys & { v: number };
  return v === 1 ? { accountKey, holderKeys } : undefined;
}

/** The secrets of a backup; undefined if the code does not decrypt them. */
export async function openBackup(backup: Backup, code: Uint8Array<ArrayBuffer>): Promise<BackupSecrets | undefined> {
  const wrapKey = await derived(code, FOR_WRAP);
  for (const wrap of backup.wraps) {
    const backupKey = wrap.kind === 'recovery' ? await unseal(wrapKey, wrap) : undefined;
    if (backupKey === undefined) continue;
    return { backupKey: toBase64(backupKey), wraps: backup.wraps, recoveryProof: await recoveryProofOf(code) };
  }
  return undefined;
}
