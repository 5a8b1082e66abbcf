// What goes on although its call has ended: the user has closed the dialog, or the page has aborted the call, after something was sent. The next call of
// the same takes it up, and gets its result.

/** How long it is kept, milliseconds. */
const KEPT_MS = 10 * 60_000;

export class TakenUp<T> {
  readonly #running = new Map<string, Promise<T>>();

  /** What an earlier call of the same has sent and nobody has heard of; once. */
  take(name: string): Promise<T> | undefined {
    const running = this.#running.get(name);
    this.#running.delete(name);
    return running;
  }

  /** Keeps what a call has sent until `heard`. What fails is kept for nobody: the next call begins anew. */
  keep(name: string, sent: Promise<T>): Promise<T> {
    this.#running.set(name, sent);
    sent.catch(() => this.heard(name, sent));
    setTimeout(() => this.heard(name, sent), KEPT_MS);
    return sent;
  }

  /** The call has got the result. */
  heard(name: string, sent: Promise<T>): void {
    if (this.#running.get(name) === sent) this.#running.delete(name);
  }
}
