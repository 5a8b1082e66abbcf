// One operation over server-sent events: graphql-sse's distinct connections mode, where each operation has a stream of its own.
import type { FastifyReply } from 'fastify';
import { BEAT_MS, type Client, type Identity } from '../../http/clients.js';
import type { Outlet } from './member.js';
import type { Payload } from './payload.js';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // What ends the stream ends the connection: it was for nothing else.
  connection: 'close',
  // Proxies that collect answers before they pass them on would hold events back.
  'x-accel-buffering': 'no',
};

export class EventStream implements Client, Outlet {
  #beatAt = Date.now() + BEAT_MS;
  #drained: (() => void)[] = [];

  /** Begins the stream. */
  constructor(
    private readonly reply: FastifyReply,
    readonly identity: Identity,
  ) {
    reply.hijack();
    // A write after the end fails; nobody is left to tell.
    reply.raw.on('error', () => {});
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    // Some browsers do not believe in a stream before its first byte.
    reply.raw.write(':\n\n');
    reply.raw.on('drain', () => this.#callDrained());
    reply.raw.once('close', () => this.#callDrained());
  }

  get waiting(): number {
    return this.reply.raw.writableLength;
  }

  get open(): boolean {
    return !this.reply.raw.destroyed && !this.reply.raw.writableEnded;
  }

  /** Calls when the client is gone, at once when it is already. */
  onClosed(call: () => void): void {
    if (this.reply.raw.destroyed) call();
    else this.reply.raw.once('close', call);
  }

  write(payload: Payload): void {
    if (this.open) this.reply.raw.write(payload.eventStream);
  }

  /** A result of this client alone. */
  next(result: object): void {
    if (this.open) this.reply.raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
  }

  /** Nothing follows; the client does not come back by itself. */
  complete(): void {
    if (this.open) this.reply.raw.end('event: complete\ndata:\n\n');
  }

  /** Without `complete`: the client comes back. */
  endSlow(): void {
    this.reply.raw.destroy();
  }

  onDrained(call: () => void): void {
    this.#drained.push(call);
  }

  beat(now: number): void {
    if (now < this.#beatAt || !this.open) return;
    this.#beatAt = now + BEAT_MS;
    this.reply.raw.write(':\n\n');
  }

  refuse(): void {
    this.next({ errors: [REFUSED] });
    this.complete();
  }

  async goAway(): Promise<void> {
    if (this.open) this.reply.raw.end();
  }

  #callDrained(): void {
    const calls = this.#drained;
    this.#drained = [];
    for (const call of calls) call();
  }
}

const REFUSED = {
  message: 'The token of this stream is no longer valid.',
  extensions: { code: 'FORBIDDEN', category: 'auth', httpStatus: 403 },
};
