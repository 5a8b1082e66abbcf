// Decrypts a backup of keys as its holder does.
import { createDecipheriv, hkdfSync } from 'node:crypto';

/** What a recovery code opens, written from the contract: AES-256-GCM under keys of HKDF-SHA-256. */
// biome-ignore lint/suspicious/noExplicitAny: a row of the store.
export function openBackup(backup: any, did: string, recoveryCode: string) {
  const open = (key: Buffer, { data, iv }: { data: string; iv: string }, aad = ''): Buffer => {
    const bytes = Buffer.from(data, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'));
    decipher.setAAD(Buffer.from(aad)).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  };
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...recoveryCode.replaceAll(' ', '')].map((one) => letters.indexOf(one).toString(2).padStart(5, '0'));
  const code = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const wrapKey = Buffer.from(hkdfSync('sha256', code, '', 'core/backup/v1', 32));
  return JSON.parse(open(open(wrapKey, backup.wraps[0]), backup, did).toString());
}
