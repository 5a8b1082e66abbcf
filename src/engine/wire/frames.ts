// MongoDB wire messages as bytes: splitting the stream, OP_MSG and the legacy OP_QUERY handshake in, OP_MSG and OP_REPLY out.
import { decode, MAX_MESSAGE_BYTES } from '../bson/codec.js';
import { decodeRequest, keepBytes } from '../bson/raw.js';
import { type Doc, setOwn } from '../bson/types.js';
import { MongoError } from '../errors.js';

/** Operation codes of the wire protocol. */
export const OP = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;

const HEADER_BYTES = 16;
/** The flag of every OP_REPLY. */
const AWAIT_CAPABLE = 8;
const FLAG = { checksum: 1, moreToCome: 2, exhaustAllowed: 1 << 16 };
/** A receiver must refuse unknown flags among bits 0-15; only the first two are defined. */
const UNKNOWN_FLAGS = 0xfffc;

/** The bytes are not a message; the connection is closed. */
export class MalformedMessage extends Error {}

/** A request as received. */
export interface Request {
  requestId: number;
  body: Doc;
  /** The client expects no reply (unacknowledged write). */
  silent: boolean;
  /** The client accepts a stream of replies. */
  exhaust: boolean;
  /** OP_QUERY asks for an OP_REPLY. */
  legacy: boolean;
  /** The error if the documents of a well-framed message cannot be read; then `body` is empty. */
  fault?: MongoError;
}

/** Cuts a byte stream into messages. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Adds bytes and returns the messages that are complete. Throws MalformedMessage. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Buffer[] = [];
    for (let frame = this.#take(); frame; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Buffer | null {
    if (this.#bytes < 4) return null;
    if ((this.#chunks[0]?.length ?? 0) < 4) this.#chunks = [Buffer.concat(this.#chunks)];
    const length = this.#chunks[0]?.readInt32LE(0) ?? 0;
    if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new MalformedMessage(`message length ${length}`);
    if (this.#bytes < length) return null;
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = all.length > length ? [all.subarray(length)] : [];
    this.#bytes = all.length - length;
    return all.subarray(0, length);
  }
}

/** Reads a request. Throws MalformedMessage for anything that is not OP_MSG or an OP_QUERY command. */
export function readRequest(frame: Buffer): Request {
  const opCode = frame.readInt32LE(12);
  try {
    if (opCode === OP.msg) return readMsg(frame);
    if (opCode === OP.query) return readQuery(frame);
    throw new MalformedMessage(`unsupported operation code ${opCode}`);
  } catch (error) {
    if (error instanceof MongoError) return unreadable(frame, opCode, error);
    throw error instanceof MalformedMessage ? error : new MalformedMessage('unreadable message', { cause: error });
  }
}

function unreadable(frame: Buffer, opCode: number, fault: MongoError): Request {
  const legacy = opCode === OP.query;
  const silent = !legacy && (frame.readUInt32LE(HEADER_BYTES) & FLAG.moreToCome) !== 0;
  return { requestId: frame.readInt32LE(4), body: {}, silent, exhaust: false, legacy, fault };
}

function readMsg(frame: Buffer): Request {
  const flags = frame.readUInt32LE(HEADER_BYTES);
  if (flags & UNKNOWN_FLAGS) throw new MalformedMessage(`unknown flag bits ${flags}`);
  const end = frame.length - (flags & FLAG.checksum ? 4 : 0);
  const sections: Doc = {};
  let body: Doc | undefined;
  let at = HEADER_BYTES + 4;
  while (at < end) {
    const kind = frame[at];
    at += 1;
    if (kind === 0 && !body) {
      const bytes = sized(frame, at, end);
      body = decodeRequest(bytes);
      at += bytes.length;
    } else if (kind === 1) {
      const bytes = sized(frame, at, end);
      readSequence(bytes, sections);
      at += bytes.length;
    } else {
      throw new MalformedMessage(`section kind ${kind}`);
    }
  }
  if (!body) throw new MalformedMessage('no body section');
  for (const name of Object.keys(sections)) {
    if (Object.hasOwn(body, name)) throw new MalformedMessage(`duplicate section ${name}`);
    setOwn(body, name, sections[name]);
  }
  const silent = (flags & FLAG.moreToCome) !== 0;
  const exhaust = (flags & FLAG.exhaustAllowed) !== 0;
  return { requestId: frame.readInt32LE(4), body, silent, exhaust, legacy: false };
}

function sized(frame: Buffer, at: number, end: number): Buffer {
  const length = frame.readInt32LE(at);
  if (length < 5 || at + length > end) throw new MalformedMessage(`section length ${length}`);
  return frame.subarray(at, at + length);
}

function readSequence(bytes: Buffer, into: Doc): void {
  const nameEnd = bytes.indexOf(0, 4);
  if (nameEnd < 0) throw new MalformedMessage('unnamed section');
  const docs: Doc[] = [];
  let at = nameEnd + 1;
  while (at < bytes.length) {
    const doc = sized(bytes, at, bytes.length);
    docs.push(keepBytes(decodeRequest(doc), doc));
    at += doc.length;
  }
  setOwn(into, bytes.toString('utf8', 4, nameEnd), docs);
}

function readQuery(frame: Buffer): Request {
  const nameEnd = frame.indexOf(0, HEADER_BYTES + 4);
  if (nameEnd < 0) throw new MalformedMessage('unnamed collection');
  const ns = frame.toString('utf8', HEADER_BYTES + 4, nameEnd);
  if (!ns.endsWith('.$cmd')) throw new MalformedMessage('OP_QUERY is for the handshake only');
  const document = decode(sized(frame, nameEnd + 9, frame.length));
  const inner = document.$query;
  const body = typeof inner === 'object' && inner !== null ? { ...inner } : document;
  const withDb: Doc = { ...body, $db: ns.slice(0, -'.$cmd'.length) };
  return { requestId: frame.readInt32LE(4), body: withDb, silent: false, exhaust: false, legacy: true };
}

let nextRequestId = 1;

/** Bytes of a reply before its document. */
export const headBytes = (legacy: boolean): number => HEADER_BYTES + (legacy ? 20 : 5);

/** Writes the bytes before a reply's document; `more` announces another reply without a request. Returns the reply's id. */
export function frameReply(bytes: Buffer, to: { responseTo: number; legacy: boolean; more?: boolean }): number {
  const requestId = nextRequestId++ & 0x7fffffff;
  bytes.fill(0, HEADER_BYTES, headBytes(to.legacy));
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(requestId, 4);
  bytes.writeInt32LE(to.responseTo, 8);
  bytes.writeInt32LE(to.legacy ? OP.reply : OP.msg, 12);
  if (to.legacy) {
    bytes.writeInt32LE(AWAIT_CAPABLE, HEADER_BYTES);
    bytes.writeInt32LE(1, HEADER_BYTES + 16);
  } else if (to.more) {
    bytes.writeUInt32LE(FLAG.moreToCome, HEADER_BYTES);
  }
  return requestId;
}
