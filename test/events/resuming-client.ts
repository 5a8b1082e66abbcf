// A client as the README advises: it follows a stream, and goes on behind the last event it saw whenever the stream ends.
import { setTimeout as delay } from 'node:timers/promises';
import { SseClient } from './sse-client.js';

export class ResumingClient {
  /** The events that have come, in order. */
  readonly seen: { id: string; type: string; coreClaimHash: string }[] = [];
  #stopped = false;
  #stream: SseClient | undefined;
  readonly #running: Promise<void>;

  /**
   * @param url where it connects: asked anew each time
   * @param lastEventId from where it begins
   * @param types the types of events that it follows
   */
  constructor(
    private readonly url: () => string,
    private readonly headers: Record<string, string>,
    private lastEventId: string,
    private readonly types = 'submitted',
  ) {
    this.#running = this.#run();
  }

  /** Breaks the stream off, as a network does. */
  reconnect(): void {
    this.#stream?.close();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stream?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.#follow().catch(() => {});
      await delay(20);
    }
  }

  async #follow(): Promise<void> {
    const headers = { ...this.headers, 'last-event-id': this.lastEventId };
    const stream = await SseClient.open(`${this.url()}/v1/events?types=${this.types}`, headers);
    this.#stream = stream;
    stream.onFrame = ({ id, data }) => {
      if (id !== undefined) this.lastEventId = id;
      if (data !== undefined) this.seen.push(data);
    };
    if (this.#stopped) stream.close();
    await stream.ended;
  }
}
