// One WebSocket: protocol messages go through `ws`; frames of the fan-out are written directly to the connection below it.
import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { DomainError } from '../../base/errors.js';
import { BEAT_MS, type Client, type Identity } from '../../http/callers/clients.js';
import { MAX_QUEUED, type Outlet } from './member.js';
import { frameHead, type Payload } from './payload.js';

/** The gateway's close codes, in addition to those of graphql-transport-ws and RFC 6455. */
export const CLOSE = {
  goingAway: 1001,
  tryAgainLater: 1013,
  badRequest: 4400,
  forbidden: 4403,
  /** A slow consumer; it reconnects with `after`. */
  tooSlow: 4413,
  /** The caller has reached its limit of sockets and event streams. */
  tooMany: 4430,
  internal: 4500,
} as const;

/** The reason that goes with `tryAgainLater`. */
export const TRY_AGAIN_LATER = 'Try again later';

/** How long a client may take to answer our close frame. */
const GOODBYE_MS = 2_000;

/** A client connected by a WebSocket. */
export class SocketClient implements Client {
  identity: Identity | undefined;
  /** Why the operation of the current message is refused. */
  refusal: DomainError | undefined;
  /** Called every second. */
  onBeat = (): void => {};
  #beatAt = Date.now() + BEAT_MS;
  #unanswered = false;
  #drained: (() => void)[] = [];

  /** A client that sends pings and does not read has pongs queued, like other data. */
  constructor(
    private readonly socket: WebSocket,
    private readonly connection: Duplex,
    readonly requestId: string,
  ) {
    socket.on('pong', () => {
      this.#unanswered = false;
    });
    // Pongs are queued like everything else.
    socket.on('ping', () => this.#isTooSlow() && this.endSlow());
    connection.on('drain', () => this.#callDrained());
    socket.once('close', () => this.#callDrained());
  }

  /** Bytes queued for the client. */
  get queuedBytes(): number {
    return this.connection.writableLength;
  }

  get open(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** Where the results of one operation go. */
  outlet(id: string): Outlet {
    return new SocketOutlet(this, frameHead(id));
  }

  /** A message of the protocol. */
  send(text: string): void {
    if (!this.open) return;
    if (this.#isTooSlow()) this.endSlow();
    else this.socket.send(text);
  }

  /** A whole frame. */
  writeFrame(frame: Buffer): void {
    if (this.open) this.connection.write(frame);
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  endSlow(): void {
    this.close(CLOSE.tooSlow, 'Too slow: come back with after');
  }

  onDrained(call: () => void): void {
    this.#drained.push(call);
  }

  beat(now: number): void {
    this.onBeat();
    if (now < this.#beatAt || !this.open) return;
    if (this.#unanswered) {
      this.socket.terminate();
      return;
    }
    this.#unanswered = true;
    this.#beatAt = now + BEAT_MS;
    this.socket.ping();
  }

  refuse(): void {
    this.close(CLOSE.forbidden, 'Forbidden');
  }

  async goAway(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    const timer = setTimeout(() => this.socket.terminate(), GOODBYE_MS);
    this.close(CLOSE.goingAway, 'Going away');
    await closed;
    clearTimeout(timer);
  }

  #isTooSlow(): boolean {
    return this.queuedBytes > MAX_QUEUED;
  }

  #callDrained(): void {
    const calls = this.#drained;
    this.#drained = [];
    for (const call of calls) call();
  }
}

class SocketOutlet implements Outlet {
  constructor(
    private readonly client: SocketClient,
    private readonly head: string,
  ) {}

  get queuedBytes(): number {
    return this.client.queuedBytes;
  }

  get open(): boolean {
    return this.client.open;
  }

  write(payload: Payload): void {
    this.client.writeFrame(payload.socketFrame(this.head));
  }

  onDrained(call: () => void): void {
    this.client.onDrained(call);
  }

  endSlow(): void {
    this.client.endSlow();
  }
}
