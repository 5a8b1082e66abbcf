// Keys derived by HKDF-SHA-256.

/** The purpose of the keys that encrypt a backup's key. */
export const FOR_WRAP = 'core/backup/v1';

/** 32 bytes derived from a secret for one purpose. */
export async function derived(secret: BufferSource, info: string): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: new TextEncoder().encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}
