// The lines of an import that have no result yet: a request that replaces a broken one begins with them.

/** Lines from a source, each of which is held until its result has arrived. */
export class UnansweredLines {
  readonly #source: AsyncIterator<string>;
  #lines: string[] = [];
  /** How many results have arrived. */
  #answered = 0;
  #hasEnded = false;
  /** The line that is being read; requests that overlap wait for the same one. */
  #reading: Promise<void> | undefined;

  constructor(lines: AsyncIterable<string>) {
    this.#source = lines[Symbol.asyncIterator]();
  }

  /** Whether the source has ended, and every line has its result. */
  get isDone(): boolean {
    return this.#hasEnded && this.#lines.length === 0;
  }

  /** The result of the first line has arrived. @returns whether there is such a line. */
  answer(): boolean {
    if (this.#lines.shift() === undefined) return false;
    this.#answered += 1;
    return true;
  }

  /** The lines without a result, then those of the source, each with its end. */
  async *texts(): AsyncGenerator<string> {
    for (let at = this.#answered; ; at += 1) {
      while (at >= this.#answered + this.#lines.length && !this.#hasEnded) {
        this.#reading ??= this.#read();
        await this.#reading;
      }
      const line = this.#lines[at - this.#answered];
      if (line === undefined) return;
      yield `${line}\n`;
    }
  }

  async #read(): Promise<void> {
    const { value, done } = await this.#source.next().finally(() => {
      this.#reading = undefined;
    });
    if (done) this.#hasEnded = true;
    else this.#lines.push(value);
  }
}
