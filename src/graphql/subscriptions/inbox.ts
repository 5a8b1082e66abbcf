// Messages of one socket, handled while its caller has points: those of a caller in debt wait, and no more is read from the connection.
import type { WebSocket } from 'ws';
import type { Bucket } from '../../base/points.js';

/** What any message costs; an operation costs more, by itself. */
const MESSAGE_POINTS = 0.2;

export class Inbox {
  /** At most what one read of the connection brings. */
  #queue: string[] = [];
  #resting = false;

  /** @param bucketOf whose points messages are taken from; undefined: they are free. */
  constructor(
    private readonly socket: Pick<WebSocket, 'pause' | 'resume'>,
    private readonly bucketOf: () => Bucket | undefined,
    private readonly handle: (text: string) => void,
  ) {}

  push(text: string): void {
    if (this.#resting) this.#queue.push(text);
    else this.#handle(text);
  }

  /** Goes on with what waits, as far as the points that have come back allow; called every second. */
  beat(): void {
    if (!this.#resting || this.#isInDebt()) return;
    this.#resting = false;
    const messages = this.#queue;
    this.#queue = [];
    for (const text of messages) this.push(text);
    if (!this.#resting) this.socket.resume();
  }

  #handle(text: string): void {
    this.bucketOf()?.spend(MESSAGE_POINTS);
    this.handle(text);
    if (!this.#isInDebt()) return;
    this.#resting = true;
    this.socket.pause();
  }

  #isInDebt(): boolean {
    return (this.bucketOf()?.left ?? 0) < 0;
  }
}
