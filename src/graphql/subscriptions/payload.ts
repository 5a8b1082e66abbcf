// One result of one event, serialised once for all subscribers: its text, and the bytes of its frames.

const FIN_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const TAIL = '}';

/** The content of one `next` message. */
export class Payload {
  readonly #body: Buffer;
  #lastHead = '';
  #lastFrame: Buffer | undefined;
  #eventStream: Buffer | undefined;

  /**
   * @param text the execution result as JSON, on one line.
   * @param seq the position of the newest event in it.
   * @param isLast whether subscriptions complete after it.
   */
  constructor(
    text: string,
    readonly seq: number,
    readonly isLast = false,
  ) {
    this.#body = Buffer.from(text);
  }

  /** Bytes of the text. */
  get size(): number {
    return this.#body.length;
  }

  /**
   * The whole WebSocket frame (RFC 6455 §5.2: final, text, not masked) of graphql-transport-ws' `next`. Clients that chose the same
   * operation id share one. @param head from `frameHead`.
   */
  socketFrame(head: string): Buffer {
    if (this.#lastFrame === undefined || head !== this.#lastHead) {
      this.#lastFrame = this.#frame(head);
      this.#lastHead = head;
    }
    return this.#lastFrame;
  }

  /** The event of graphql-sse's `next` in distinct connections mode. */
  get eventStream(): Buffer {
    this.#eventStream ??= Buffer.concat([Buffer.from('event: next\ndata: '), this.#body, Buffer.from('\n\n')]);
    return this.#eventStream;
  }

  #frame(head: string): Buffer {
    const length = Buffer.byteLength(head) + this.#body.length + TAIL.length;
    const frame = Buffer.allocUnsafe(headerSize(length) + length);
    let offset = writeHeader(frame, length);
    offset += frame.write(head, offset);
    offset += this.#body.copy(frame, offset);
    frame.write(TAIL, offset);
    return frame;
  }
}

/** The start of a `next` message with a client's operation id. */
export function frameHead(id: string): string {
  return `{"id":${JSON.stringify(id)},"type":"next","payload":`;
}

function headerSize(length: number): number {
  if (length < LENGTH_16) return 2;
  return length < 65_536 ? 4 : 10;
}

function writeHeader(frame: Buffer, length: number): number {
  frame[0] = FIN_TEXT;
  if (length < LENGTH_16) return frame.writeUInt8(length, 1);
  if (length < 65_536) return frame.writeUInt16BE(length, frame.writeUInt8(LENGTH_16, 1));
  return frame.writeBigUInt64BE(BigInt(length), frame.writeUInt8(LENGTH_64, 1));
}
