// A client of graphql-transport-ws with nothing in it that is not needed: five thousand of them must keep up on one core.
import { connect, type Socket } from 'node:net';

const HANDSHAKE_END = '\r\n\r\n';
const ACKNOWLEDGED = '{"type":"connection_ack"}';
/** Of the events that a bench publishes, in `coreClaimHash`: their number. */
const MARK = '"bench-';

export interface Subscribing {
  port: number;
  /** What goes with connection_init. */
  init?: object;
  /** Operations of this socket. */
  operations: readonly { query: string; variables?: object }[];
  /** An event's number has arrived. */
  onEvent?(number: number): void;
}

/** One socket for all connections: what is read is looked at before the next one is read. */
const shared = Buffer.alloc(65_536);

/** A client's message as a frame: masked, with a mask of zeros. */
function frameOf(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const short = text.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | (short ? text.length : 126);
  if (!short) head.writeUInt16BE(text.length, 2);
  return Buffer.concat([head, text]);
}

/** An operation id as clients choose them: every one of its own. */
const operationId = (): string => crypto.randomUUID();

export class RawSubscriber {
  #rest: Buffer | undefined;
  #upgraded = false;
  #acknowledge: () => void = () => {};
  #fail: (error: Error) => void = () => {};
  readonly #socket: Socket;
  /** Resolves when the operations have been sent. */
  readonly subscribed = new Promise<void>((resolve, reject) => {
    this.#acknowledge = resolve;
    this.#fail = reject;
  });
  closed = false;

  constructor(private readonly subscribing: Subscribing) {
    this.#socket = this.#open();
  }

  end(): void {
    this.#socket.destroy();
  }

  #open(): Socket {
    const callback = (size: number, buffer: Uint8Array): boolean => {
      this.#read(Buffer.from(buffer.buffer, buffer.byteOffset, size));
      return true;
    };
    const socket = connect({ port: this.subscribing.port, host: '127.0.0.1', onread: { buffer: shared, callback } });
    socket.setNoDelay(true);
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => {
      this.closed = true;
    });
    socket.write(
      'GET /graphql HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    );
    return socket;
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let offset = this.#upgraded ? 0 : this.#upgrade(bytes);
    while (offset < bytes.length) {
      const next = this.#frame(bytes, offset);
      if (next === offset) break;
      offset = next;
    }
    // The buffer is used again at once.
    if (offset < bytes.length) this.#rest = Buffer.from(bytes.subarray(offset));
  }

  #upgrade(bytes: Buffer): number {
    const end = bytes.indexOf(HANDSHAKE_END);
    if (end < 0) return 0;
    if (!bytes.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) throw new Error(bytes.toString());
    this.#upgraded = true;
    this.#socket.write(frameOf({ type: 'connection_init', payload: this.subscribing.init ?? {} }));
    return end + HANDSHAKE_END.length;
  }

  /** Reads one frame; answers where the next one begins, or the same place when it is not all there. */
  #frame(bytes: Buffer, offset: number): number {
    if (bytes.length < offset + 4) return offset;
    const short = bytes[offset + 1] ?? 0;
    if (short === 127) throw new Error('a frame larger than any that was asked for');
    const [length, start] = short === 126 ? [bytes.readUInt16BE(offset + 2), offset + 4] : [short, offset + 2];
    const end = start + length;
    if (bytes.length < end) return offset;
    const opcode = (bytes[offset] ?? 0) & 0x0f;
    if (opcode === 1) this.#message(bytes, start, end);
    else if (opcode === 9) this.#socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
    else if (opcode === 8) throw new Error(`the server has closed a socket: ${bytes.toString('latin1', start, end)}`);
    return end;
  }

  #message(bytes: Buffer, start: number, end: number): void {
    const at = bytes.indexOf(MARK, start, 'latin1');
    if (at >= 0 && at < end)
      this.subscribing.onEvent?.(Number.parseInt(bytes.toString('latin1', at + MARK.length, at + MARK.length + 8), 10));
    else if (bytes.toString('latin1', start, end) === ACKNOWLEDGED) this.#subscribe();
    else throw new Error(`an answer that was not asked for: ${bytes.toString('utf8', start, end)}`);
  }

  #subscribe(): void {
    for (const payload of this.subscribing.operations)
      this.#socket.write(frameOf({ id: operationId(), type: 'subscribe', payload }));
    this.#acknowledge();
  }
}
