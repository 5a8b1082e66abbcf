// A client without a driver: sends documents as bytes, and returns the bytes of the response.
import { connect, type Socket } from 'node:net';
import { BSON, type Document } from 'mongodb';

/** The response to a command. */
export interface RawReply {
  /** The response without its cursor. */
  reply: Document;
  /** The documents of the cursor's batch, byte for byte. */
  batch: Buffer[];
}

/** An element of a document: its name, its type, and the bytes of its value. */
interface Element {
  name: string;
  type: number;
  value: Buffer;
}

/** The elements of a document in the order of its bytes. */
export function elementsOf(bytes: Uint8Array): Element[] {
  return Array.from(BSON.onDemand.parseToElements(bytes), ([type, nameAt, nameLength, at, length]) => ({
    name: Buffer.from(bytes.subarray(nameAt, nameAt + nameLength)).toString(),
    type,
    value: Buffer.from(bytes.subarray(at, at + length)),
  }));
}

/** Builds a document from the bytes of its elements. */
export function documentOf(elements: Uint8Array[]): Buffer {
  const body = Buffer.concat(elements);
  const head = Buffer.alloc(4);
  head.writeInt32LE(body.length + 5);
  return Buffer.concat([head, body, Buffer.from([0])]);
}

/** The fields of a response without its cursor: the driver's classes can represent these, whatever is stored. */
function plainFields(reply: Uint8Array): Document {
  const elements = elementsOf(reply).filter(({ name }) => name !== 'cursor');
  const bytes = elements.map(({ name, type, value }) =>
    Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]),
  );
  return BSON.deserialize(documentOf(bytes));
}

function batchOf(reply: Uint8Array): Buffer[] {
  const cursor = elementsOf(reply).find(({ name }) => name === 'cursor');
  const batch = cursor && elementsOf(cursor.value).find(({ name }) => name.endsWith('Batch'));
  return batch ? elementsOf(batch.value).map(({ value }) => value) : [];
}

/** A client with one connection. */
export class RawClient {
  readonly #socket: Socket;
  #chunks: Buffer = Buffer.alloc(0);
  #got: (frame: Buffer) => void = () => {};
  #lost: (error: Error) => void = () => {};

  constructor(uri: string) {
    const { hostname, port } = new URL(uri.replace('mongodb:', 'http:'));
    this.#socket = connect(Number(port), hostname);
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => this.#lost(new Error('the engine closed the connection')));
  }

  #receive(chunk: Buffer): void {
    this.#chunks = Buffer.concat([this.#chunks, chunk]);
    const length = this.#chunks.length >= 4 ? this.#chunks.readInt32LE(0) : Number.POSITIVE_INFINITY;
    if (this.#chunks.length < length) return;
    const frame = this.#chunks.subarray(0, length);
    this.#chunks = this.#chunks.subarray(length);
    this.#got(frame);
  }

  /**
   * Sends a command with its documents in a section of their own. Rejects if the engine closes the connection instead
   * of responding.
   */
  command(body: Document | Uint8Array, section?: { name: string; documents: Uint8Array[] }): Promise<RawReply> {
    const command = body instanceof Uint8Array ? body : BSON.serialize({ ...body, $db: 'test' });
    const parts = [Buffer.from([0]), command];
    if (section) {
      const inner = Buffer.concat([Buffer.from(`${section.name}\0`), ...section.documents]);
      const head = Buffer.alloc(5);
      head[0] = 1;
      head.writeInt32LE(inner.length + 4, 1);
      parts.push(head, inner);
    }
    const message = Buffer.concat([Buffer.alloc(20), ...parts]);
    message.writeInt32LE(message.length, 0);
    message.writeInt32LE(1, 4);
    message.writeInt32LE(2013, 12);
    return new Promise((resolve, reject) => {
      this.#lost = reject;
      this.#got = (frame) => {
        const reply = frame.subarray(21);
        resolve({ reply: plainFields(reply), batch: batchOf(reply) });
      };
      this.#socket.write(message);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
