// A WebSocket that adds nothing to the protocol: tests send every message themselves, and see every message and the close code.
import { EventEmitter, once } from 'node:events';
import { WebSocket } from 'ws';
import type { TestGateway } from '../../support/gateway.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read messages of every shape.
export type Message = any;

/**
 * The close code when connection_init does not come within three seconds. That can happen on a machine that stood
 * still; then the socket is opened again, as clients do.
 */
const TOO_LATE = 4408;

export interface RawSocketOptions {
  /** The payload of connection_init; if undefined, none is sent. */
  init?: object;
  protocol?: string;
  headers?: Record<string, string>;
}

/** Thrown when the gateway has closed the socket. */
export class SocketClosed extends Error {
  override readonly name = 'SocketClosed';

  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super(`the socket was closed with ${code} ${reason}`);
  }
}

export class RawSocket {
  readonly messages: Message[] = [];
  readonly #told = new EventEmitter();
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    this.#told.setMaxListeners(0);
    socket.on('message', (text) => {
      this.messages.push(JSON.parse(String(text)));
      this.#told.emit('message');
    });
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#told.emit('message');
      });
    });
  }

  /**
   * Opens a socket. With `init`, it sends connection_init and resolves when that is acknowledged. @throws SocketClosed
   * when it is closed instead.
   */
  static async open(gateway: Pick<TestGateway, 'url'>, options: RawSocketOptions = {}): Promise<RawSocket> {
    const { init, protocol = 'graphql-transport-ws', headers = {} } = options;
    const { url } = gateway;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol === '' ? [] : protocol, { headers });
    const raw = new RawSocket(socket);
    await once(socket, 'open');
    if (init === undefined) return raw;
    raw.send({ type: 'connection_init', payload: init });
    try {
      await raw.message(({ type }) => type === 'connection_ack');
      return raw;
    } catch (error) {
      if (!(error instanceof SocketClosed && error.code === TOO_LATE)) throw error;
      return RawSocket.open(gateway, options);
    }
  }

  /** The close code of a socket that is refused. @throws Error when it is accepted. */
  static async refusal(
    gateway: Pick<TestGateway, 'url'>,
    options: RawSocketOptions & { init: object },
  ): Promise<SocketClosed> {
    try {
      (await RawSocket.open(gateway, options)).close();
    } catch (error) {
      if (error instanceof SocketClosed) return error;
      throw error;
    }
    throw new Error('the socket was let in');
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables?: Record<string, unknown>): void {
    this.send({ id, type: 'subscribe', payload: { query, variables } });
  }

  /** Resolves with the first message that fits, which may have been received already. */
  async message(fits: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(fits);
      if (found !== undefined) return found;
      await this.#more();
    }
  }

  /** Resolves with the payloads when an operation has had this many results. */
  async results(id: string, count: number): Promise<Message[]> {
    for (;;) {
      const found = this.messages.filter((message) => message.type === 'next' && message.id === id);
      if (found.length >= count) return found.map(({ payload }) => payload);
      const refused = this.messages.find((message) => message.type === 'error' && message.id === id);
      if (refused) throw new Error(`the operation was refused: ${JSON.stringify(refused.payload)}`);
      await this.#more();
    }
  }

  /** Makes a round trip, after which the gateway has read everything that was sent before. */
  async settled(): Promise<void> {
    const mark = String(this.messages.length + Math.random());
    this.send({ type: 'ping', payload: { mark } });
    await this.message(({ type, payload }) => type === 'pong' && payload?.mark === mark);
  }

  close(): void {
    this.socket.terminate();
  }

  /** Resolves with the next message. @throws SocketClosed when the socket is closed, so that no message will come. */
  async #more(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) {
      const { code, reason } = await this.closed;
      throw new SocketClosed(code, reason);
    }
    await once(this.#told, 'message');
  }
}
