// The messages of one socket. They are handled while its caller has points; while it owes some, messages wait and reading pauses.
import type { WebSocket } from 'ws';
import type { Bucket } from '../../base/points.js';

/** The cost of any message; an operation is charged on its own. */
const MESSAGE_POINTS = 0.2;

/** Handles the messages of one socket as fast as its caller's points allow. */
export class Inbox {
  /** Messages that wait; at most those of one read from the connection. */
  #queue: string[] = [];
  #isPaused = false;

  /** @param bucketOf the bucket that pays for messages; undefined: they are free. */
  constructor(
    private readonly socket: Pick<WebSocket, 'pause' | 'resume'>,
    private readonly bucketOf: () => Bucket | undefined,
    private readonly handle: (text: string) => void,
  ) {}

  /** Handles a message, or queues it while the caller owes points. */
  push(text: string): void {
    if (this.#isPaused) this.#queue.push(text);
    else this.#handle(text);
  }

  /** Handles waiting messages, as far as the caller's points allow; called every second. */
  beat(): void {
    if (!this.#isPaused || this.#isInDebt()) return;
    this.#isPaused = false;
    const messages = this.#queue;
    this.#queue = [];
    for (const text of messages) this.push(text);
    if (!this.#isPaused) this.socket.resume();
  }

  #handle(text: string): void {
    this.bucketOf()?.spend(MESSAGE_POINTS);
    this.handle(text);
    if (!this.#isInDebt()) return;
    this.#isPaused = true;
    this.socket.pause();
  }

  #isInDebt(): boolean {
    return (this.bucketOf()?.left ?? 0) < 0;
  }
}
