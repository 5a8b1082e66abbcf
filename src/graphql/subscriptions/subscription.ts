// A subscription for transports: an async generator that yields nothing, because results are written directly to the
// client. It ends with the subscription.

/** One subscription that has begun. */
export class Subscription implements AsyncGenerator<never, void> {
  readonly #end: Promise<IteratorResult<never, void>>;
  #resolve: (result: IteratorResult<never, void>) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  /** @param leave called once, when it ends. */
  constructor(private leave: () => void) {
    this.#end = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A transport that has already closed does not read how the subscription ended.
    this.#end.catch(() => {});
  }

  /** Ends it with an error that is sent to the client. */
  fail(error: unknown): void {
    this.#leaveOnce();
    this.#reject(error);
  }

  /** Resolves when it ends. @throws the error that it ended with. */
  next(): Promise<IteratorResult<never, void>> {
    return this.#end;
  }

  async return(): Promise<IteratorResult<never, void>> {
    this.#leaveOnce();
    const end = { done: true as const, value: undefined };
    this.#resolve(end);
    return end;
  }

  async throw(error: unknown): Promise<IteratorResult<never, void>> {
    this.fail(error);
    return this.#end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #leaveOnce(): void {
    const { leave } = this;
    this.leave = () => {};
    leave();
  }
}
