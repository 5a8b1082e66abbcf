// A connection at which Node's HTTP parser has stopped for an upgrade: what the client sends is held until the connection is taken over.
import type { Socket } from 'node:net';
import { currentAnswer } from '../../http/server/connections.js';

/** Bytes that are held; reading pauses at that limit. */
const MAX_HELD = 65_536;

/** Holds the bytes of one connection until it is taken over. */
export class HeldConnection {
  readonly #chunks: Buffer[];
  #size: number;
  readonly #listeners: Readonly<Record<string, (chunk: Buffer) => void>>;

  /** @param head the bytes that followed the upgrade request. */
  constructor(
    readonly socket: Socket,
    head: Buffer,
  ) {
    this.#chunks = [head];
    this.#size = head.length;
    // When bodies of earlier requests are discarded, Node reads on: without a listener these bytes would be lost.
    this.#listeners = {
      data: (chunk) => this.#hold(chunk),
      // Earlier responses may still be in progress, but Node has removed its listeners.
      drain: () => currentAnswer(socket)?.emit('drain'),
      end: () => socket.destroy(),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    this.#hold(Buffer.alloc(0));
  }

  /**
   * Hands over the connection, paused, with all held bytes at the front of its stream. The new owner calls `resume`.
   */
  release(): Socket {
    const { socket } = this;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener);
    socket.pause();
    if (this.#size > 0) socket.unshift(Buffer.concat(this.#chunks));
    return socket;
  }

  #hold(chunk: Buffer): void {
    this.#size += chunk.length;
    if (chunk.length > 0) this.#chunks.push(chunk);
    if (this.#size >= MAX_HELD) this.socket.pause();
  }
}
