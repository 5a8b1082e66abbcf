// The bytes of a key while it is encoded (sort-key.ts).
import { mostKeyBytes, putKeyText } from './key-text.js';

/** What surrounds the values of a key, so that it is copied once. */
export interface KeyFrame {
  /** A new key with the surrounding bytes and `length` free bytes for the values. */
  room(length: number): Buffer;
  /** Where the values go. */
  at: number;
}

/** The bytes of a key while it is encoded, in a buffer that grows. */
export class KeyBytes {
  private buffer = Buffer.allocUnsafe(4096);
  length = 0;
  private packed = false;

  /** Begins a key. */
  begin(packed = false): void {
    this.length = 0;
    this.packed = packed;
  }

  private reserve(count: number): void {
    if (this.length + count <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + count));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    this.length = this.buffer.writeUInt32BE(value, this.length);
  }

  uint64(value: bigint): void {
    this.reserve(8);
    this.length = this.buffer.writeBigUInt64BE(BigInt.asUintN(64, value), this.length);
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** UTF-8 with NUL escaped as 00 FF and ended by 00 00, so that a prefix sorts first whatever follows. */
  text(value: string): void {
    if (this.packed) this.packedText(value, false);
    else this.plainText(value);
  }

  /** The bytes with which the keys of all texts begin that begin with this one. */
  openText(value: string): void {
    if (this.packed) {
      this.packedText(value, true);
      return;
    }
    this.plainText(value);
    // A text ends with two bytes.
    this.length -= 2;
  }

  private packedText(value: string, open: boolean): void {
    this.reserve(mostKeyBytes(value));
    this.length = putKeyText(value, this.buffer, this.length, open);
  }

  private plainText(value: string): void {
    this.reserve(value.length * 3 + 2);
    const start = this.length;
    this.length += this.buffer.write(value, start, 'utf8');
    if (value.includes('\0')) {
      const plain = Buffer.from(this.buffer.subarray(start, this.length));
      this.length = start;
      for (const byte of plain) {
        this.byte(byte);
        if (byte === 0) this.byte(0xff);
      }
    }
    this.byte(0);
    this.byte(0);
  }

  double(value: number): void {
    this.reserve(8);
    const start = this.length;
    this.length = this.buffer.writeDoubleBE(value, start);
    // Positive doubles: set the sign bit; negative: invert all, so that larger magnitudes come first.
    if ((this.buffer[start] as number) & 0x80) this.invert(start);
    else this.buffer[start] = (this.buffer[start] as number) | 0x80;
  }

  invert(from: number): void {
    for (let i = from; i < this.length; i++) this.buffer[i] = ~(this.buffer[i] as number) & 0xff;
  }

  view(from: number): Buffer {
    return this.buffer.subarray(from, this.length);
  }

  /** A copy of all bytes, in its frame. */
  framed(frame: KeyFrame): Buffer {
    const key = frame.room(this.length);
    this.buffer.copy(key, frame.at, 0, this.length);
    return key;
  }
}
