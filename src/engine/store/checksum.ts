// Stored BSON is followed by a checksum, so that bytes that changed on disk are detected and not served.
import { crc32 } from 'node:zlib';
import { type MongoError, mongoError } from '../errors.js';

const SUM_BYTES = 4;

/** BSON as it is stored, followed by its CRC-32 in four bytes. */
export function withChecksum(bson: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(bson.length + SUM_BYTES);
  value.set(bson);
  value.writeUInt32LE(crc32(bson), bson.length);
  return value;
}

/**
 * The BSON of a stored value. Values of format 1 have no checksum. Throws DataCorruptionDetected (366) if the checksum
 * does not match.
 */
export function checkedBson(value: Buffer): Buffer {
  const length = value.length < SUM_BYTES ? 0 : value.readInt32LE(0);
  if (length === value.length) return value;
  const bson = value.subarray(0, length);
  if (length === value.length - SUM_BYTES && crc32(bson) === value.readUInt32LE(length)) return bson;
  throw damagedBytes();
}

/** DataCorruptionDetected (366). */
export function damagedBytes(): MongoError {
  return mongoError(
    'DataCorruptionDetected',
    'The data folder is damaged: bytes of a stored document changed on disk. Stop the engine, then restore a backup or save what can be read with `engine dump`.',
  );
}
