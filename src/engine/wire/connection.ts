// One client connection: handles requests one after the other, in the order of arrival.
import type { Socket } from 'node:net';
import type { Doc } from '../bson/types.js';
import type { WireClient } from '../commands/context.js';
import { CloseConnection, type CommandDispatcher } from '../commands/dispatch.js';
import { MongoError } from '../errors.js';
import { FrameReader, frameReply, headBytes, MalformedMessage, type Request, readRequest } from './frames.js';
import { encodeReply } from './reply.js';

/** The most pending requests of a client. At this number its socket is paused. */
const MAX_WAITING = 64;

/** Serves a socket until it closes. */
export class Connection {
  readonly client: WireClient;
  readonly #socket: Socket;
  readonly #dispatcher: CommandDispatcher;
  readonly #reader = new FrameReader();
  readonly #queue: Buffer[] = [];
  #working = false;

  constructor(socket: Socket, dispatcher: CommandDispatcher, client: WireClient) {
    this.client = client;
    this.#socket = socket;
    this.#dispatcher = dispatcher;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      client.closed = true;
      client.onClose?.();
      client.release?.();
      this.#queue.length = 0;
    });
  }

  #receive(chunk: Buffer): void {
    try {
      this.#queue.push(...this.#reader.push(chunk));
    } catch {
      this.close();
      return;
    }
    if (this.#queue.length > MAX_WAITING) this.#socket.pause();
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      for (let frame = this.#queue.shift(); frame && !this.client.closed; frame = this.#queue.shift()) {
        await this.#handle(readRequest(frame));
        if (this.#queue.length === 0) this.#socket.resume();
      }
    } catch (error) {
      if (!(error instanceof MalformedMessage || error instanceof CloseConnection)) console.error(error);
      this.close();
    } finally {
      this.#working = false;
    }
  }

  async #handle(request: Request): Promise<void> {
    let responseTo = request.requestId;
    for (;;) {
      const { fault, body } = request;
      const reply = fault ? this.#dispatcher.refuse(fault) : await this.#dispatcher.answer(this.client, body);
      if (request.silent || this.client.closed) return;
      const more = request.exhaust && isStream(request) && reply.topologyVersion !== undefined;
      const bytes = this.#encode(reply, headBytes(request.legacy));
      const requestId = frameReply(bytes, { responseTo, legacy: request.legacy, more });
      const flushed = this.#send(bytes);
      if (flushed) await flushed;
      if (!more) return;
      responseTo = requestId;
    }
  }

  /** The reply as bytes, after `head` bytes for its frame; an error reply if it is too large. */
  #encode(reply: Doc, head: number): Buffer {
    try {
      return encodeReply(reply, head);
    } catch (error) {
      if (!(error instanceof MongoError)) throw error;
      return encodeReply(this.#dispatcher.refuse(error), head);
    }
  }

  #send(bytes: Buffer): Promise<void> | undefined {
    if (this.#socket.write(bytes)) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        this.#socket.off('drain', go);
        this.#socket.off('close', go);
        resolve();
      };
      this.#socket.on('drain', go);
      this.#socket.on('close', go);
    });
  }

  /** Ends the connection now. */
  close(): void {
    this.#socket.destroy();
  }
}

/** Only the awaitable hello has a stream of replies. */
function isStream(request: Request): boolean {
  return request.body.topologyVersion !== undefined && request.body.maxAwaitTimeMS !== undefined;
}
