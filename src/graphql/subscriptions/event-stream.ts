// One operation over server-sent events: graphql-sse's distinct connections mode, in which each operation has its own stream.
import type { FastifyReply } from 'fastify';
import { BEAT_MS, type Client, type Identity } from '../../http/callers/clients.js';
import type { Outlet } from './member.js';
import type { Payload } from './payload.js';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // The connection is used for this stream alone and ends with it.
  connection: 'close',
  // Proxies that buffer responses would delay events.
  'x-accel-buffering': 'no',
};

/** The stream of one operation's results to one client. */
export class EventStream implements Client, Outlet {
  #beatAt = Date.now() + BEAT_MS;
  #drained: (() => void)[] = [];

  /** Begins the stream. */
  constructor(
    private readonly reply: FastifyReply,
    readonly identity: Identity,
  ) {
    reply.hijack();
    // A write after the end fails, and no client is left to which the failure could be reported.
    reply.raw.on('error', () => {});
    reply.raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    // Some browsers open a stream only after its first byte.
    reply.raw.write(':\n\n');
    reply.raw.on('drain', () => this.#callDrained());
    reply.raw.once('close', () => this.#callDrained());
  }

  get queuedBytes(): number {
    return this.reply.raw.writableLength;
  }

  get open(): boolean {
    return !this.reply.raw.destroyed && !this.reply.raw.writableEnded;
  }

  /** Calls the function when the client has disconnected, or at once if it already has. */
  onClosed(call: () => void): void {
    if (this.reply.raw.destroyed) call();
    else this.reply.raw.once('close', call);
  }

  write(payload: Payload): void {
    if (this.open) this.reply.raw.write(payload.eventStream);
  }

  /** Sends a result to this client alone. */
  next(result: object): void {
    if (this.open) this.reply.raw.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`);
  }

  /** Ends the stream; the client does not reconnect by itself. */
  complete(): void {
    if (this.open) this.reply.raw.end('event: complete\ndata:\n\n');
  }

  /** Ends the stream without `complete`, so that the client reconnects. */
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
