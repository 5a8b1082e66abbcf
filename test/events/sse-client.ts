// A client of text/event-stream over a real connection, written from the standard: frames are queued before anyone waits for them.
export interface Frame {
  id?: string;
  event?: string;
  /** The data as JSON; undefined for a frame without any. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape.
  data?: any;
}

export class SseClient {
  readonly frames: Frame[] = [];
  /** The id that a browser would send as Last-Event-ID. */
  lastEventId = '';
  /** Resolves when the server ended the stream, rejects when it was broken off. */
  readonly ended: Promise<void>;
  /** Told of each frame as it comes; those that came before it was set are told at once. */
  #onFrame: (frame: Frame) => void = () => {};
  readonly #abort: AbortController;
  #wake: () => void = () => {};

  private constructor(answer: Response, abort: AbortController) {
    this.#abort = abort;
    this.ended = this.#read(answer);
    this.ended.catch(() => {});
  }

  /** Opens a stream, with a POST where there is a body. @throws Error with the answer's text when it is refused. */
  static async open(url: string, headers: Record<string, string>, body?: object): Promise<SseClient> {
    const abort = new AbortController();
    const asked = { accept: 'text/event-stream', ...headers };
    const request = body
      ? { method: 'POST', headers: { ...asked, 'content-type': 'application/json' }, body: JSON.stringify(body) }
      : { headers: asked };
    const answer = await fetch(url, { ...request, signal: abort.signal });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return new SseClient(answer, abort);
  }

  set onFrame(listener: (frame: Frame) => void) {
    this.#onFrame = listener;
    for (const frame of this.frames) listener(frame);
  }

  /** Events that have come. */
  get events(): Frame[] {
    return this.frames.filter(({ data }) => data !== undefined);
  }

  /** Waits until so many events have come. */
  async count(wanted: number): Promise<Frame[]> {
    while (this.events.length < wanted) {
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
        this.ended.then(() => {
          throw new Error(`the stream ended after ${this.events.length} of ${wanted} events`);
        }),
      ]);
    }
    return this.events;
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(answer: Response): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) this.#take(part);
      this.#wake();
    }
  }

  #take(part: string): void {
    const frame: Frame = {};
    for (const line of part.split('\n')) {
      const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (field === 'id') frame.id = value;
      if (field === 'event') frame.event = value;
      if (field === 'data' && value !== '') frame.data = JSON.parse(value);
    }
    if (frame.id !== undefined) this.lastEventId = frame.id;
    this.frames.push(frame);
    this.#onFrame(frame);
  }
}
