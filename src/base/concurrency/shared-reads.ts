// Reads that requests share: of one thing, one at a time in a process, however many requests want it.

interface Reading<T> {
  present: Promise<T>;
  /** Begins when the present one has ended. */
  next?: Promise<T>;
}

/** Results of reads by key. A read that began before a request is not given to it, because it may lack what its caller has just changed. */
export class SharedReads<T> {
  readonly #readings = new Map<string, Reading<T>>();

  /** The result of a read that begins now, or, if one is under way, of the one after it, which all requests until then share. */
  get(key: string, read: () => Promise<T>): Promise<T> {
    const reading = this.#readings.get(key);
    if (reading === undefined) return this.#begin(key, read);
    reading.next ??= reading.present.then(
      () => this.#begin(key, read),
      () => this.#begin(key, read),
    );
    return reading.next;
  }

  #begin(key: string, read: () => Promise<T>): Promise<T> {
    const reading: Reading<T> = { present: read() };
    this.#readings.set(key, reading);
    const end = (): void => {
      if (reading.next === undefined) this.#readings.delete(key);
    };
    reading.present.then(end, end);
    return reading.present;
  }
}
