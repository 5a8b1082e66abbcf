// Event ids: encrypted sequence numbers of one log, so that clients can neither see the volume of events nor invent an id.
import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES-128 of one block: 8 bytes of the sequence number, and 8 zero bytes, which prove that the id is of this log. */
const CIPHER = 'aes-128-ecb';
const ID = /^[\w-]{22}$/;

/** Converts sequence numbers to event ids and back. */
export class EventIds {
  /** @param key 16 bytes that belong to the log, the same in every process. */
  constructor(private readonly key: Buffer) {}

  /** The id of a sequence number. */
  idOf(seq: number): string {
    const block = Buffer.alloc(16);
    block.writeBigUInt64BE(BigInt(seq));
    const cipher = createCipheriv(CIPHER, this.key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url');
  }

  /** The sequence number of an id; undefined for a text that is not an id of this log. */
  seqOf(id: string): number | undefined {
    const bytes = Buffer.from(ID.test(id) ? id : '', 'base64url');
    if (bytes.length !== 16 || bytes.toString('base64url') !== id) return undefined;
    const decipher = createDecipheriv(CIPHER, this.key, null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
    const seq = block.readBigUInt64BE();
    return block.readBigUInt64BE(8) === 0n && seq <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(seq) : undefined;
  }
}
