// The messages of one socket. They are handled while its caller has points; while it owes some, messages wait and reading pauses.
import type { WebSocket } from 'ws';
import type { Bucket } from '../../base/concurrency/bucket.js';
import type { Turns } from '../../base/concurrency/turns.js';

/** The points of any message. Operations are charged separately. */
const MESSAGE_POINTS = 0.2;

export interface InboxOptions {
  socket: Pick<WebSocket, 'pause' | 'resume'>;
  /** Shared by all sockets, so that one with many messages does not delay the others. */
  turns: Turns;
  /** The bucket that pays for messages; undefined: they are free. */
  bucketOf(): Bucket | undefined;
  handle(text: string): void;
}

/** Handles the messages of one socket in order, as fast as its caller's points allow. */
export class Inbox {
  /** Messages that wait: at most those that one read from the connection contained. */
  #queue: string[] = [];
  #isReading = true;
  #hasTurn = false;
  #owes = false;

  constructor(private readonly options: InboxOptions) {}

  /** Queues a message. */
  push(text: string): void {
    this.#queue.push(text);
    if (this.#queue.length > 1) this.#read(false);
    this.#takeTurn();
  }

  /** Continues with waiting messages once the caller owes no points; called every second. */
  beat(): void {
    if (!this.#owes || this.#isInDebt()) return;
    this.#owes = false;
    this.#takeTurn();
  }

  /** Drops the waiting messages, because the socket has closed. */
  close(): void {
    this.#queue = [];
  }

  #takeTurn(): void {
    if (this.#hasTurn || this.#owes) return;
    if (this.#queue.length === 0) {
      this.#read(true);
      return;
    }
    this.#hasTurn = true;
    this.options.turns.add(() => {
      this.#hasTurn = false;
      this.#handleNext();
      this.#takeTurn();
    });
  }

  #handleNext(): void {
    const text = this.#queue.shift();
    if (text === undefined) return;
    this.options.bucketOf()?.spend(MESSAGE_POINTS);
    this.options.handle(text);
    if (!this.#isInDebt()) return;
    this.#owes = true;
    this.#read(false);
  }

  #read(isReading: boolean): void {
    if (this.#isReading === isReading) return;
    this.#isReading = isReading;
    if (isReading) this.options.socket.resume();
    else this.options.socket.pause();
  }

  #isInDebt(): boolean {
    return (this.options.bucketOf()?.left ?? 0) < 0;
  }
}
