// Reads the body of a response within a bound of bytes. The guard asks for plain bytes; servers that compress nevertheless are read all the same,
// and the bound holds for what comes out.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { GuardedFetchError } from './guarded-fetch-error.js';

/** By content coding (RFC 9110 §8.4.1). */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A whole body, decompressed. @throws GuardedFetchError if it is larger, or in a coding that cannot be read. */
export async function readAll(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = (): GuardedFetchError =>
    new GuardedFetchError(`The response is larger than ${maxBytes} bytes.`, 'too-large');
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decoded(answer)) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(answer: IncomingMessage): AsyncIterable<Buffer> {
  const coding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return answer;
  const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
  if (decoder === undefined) throw unreadable();
  // An error of either stream ends the other one, and the loop that reads.
  const plain: Readable = pipeline(answer, decoder(), () => undefined);
  return readableOf(plain);
}

/** A stream whose faults of compression have the name of the guard's error. */
async function* readableOf(plain: Readable): AsyncGenerator<Buffer> {
  try {
    yield* plain as AsyncIterable<Buffer>;
  } catch (cause) {
    throw /^Z_|^ERR_(_ERROR|BROTLI|PADDING)/.test(String((cause as { code?: unknown }).code))
      ? unreadable(cause)
      : cause;
  }
}

const unreadable = (cause?: unknown): GuardedFetchError =>
  new GuardedFetchError('The response is compressed in a way that cannot be read.', 'compressed', { cause });

/** The first bytes of a body, however long it is, in whatever coding. */
export async function readSome(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
