// A connection at which Node's HTTP parser has stopped, for an upgrade: what the client sends is held until somebody takes it over.
import type { Socket } from 'node:net';
import { currentAnswer } from '../../http/connections.js';

/** Bytes that are held; the connection is read no further then. */
const MAX_HELD = 65_536;

export class HeldConnection {
  readonly #chunks: Buffer[];
  #size: number;
  readonly #listeners: Readonly<Record<string, (chunk: Buffer) => void>>;

  /** @param head what the client sent behind the request that asks for the upgrade. */
  constructor(
    readonly socket: Socket,
    head: Buffer,
  ) {
    this.#chunks = [head];
    this.#size = head.length;
    // Bodies of earlier requests that are let go of make Node read on: without a listener these bytes would be lost.
    this.#listeners = {
      data: (chunk) => this.#hold(chunk),
      // Earlier answers may still be on their way; Node has taken its listeners away.
      drain: () => currentAnswer(socket)?.emit('drain'),
      end: () => socket.destroy(),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
    this.#hold(Buffer.alloc(0));
  }

  /** Gives the connection away, paused: everything that arrived stands before what will. Whoever takes it calls `resume`. */
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
