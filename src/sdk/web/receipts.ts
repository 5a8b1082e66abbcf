// Results of approvals that the page has, but may lose: if it is loaded again at once, the same call must not count as another approval.

/** How long a page must have had a result until it counts as received, milliseconds. */
const KEPT_MS = 5_000;

export class Receipts {
  readonly #kept = new Set<string>();

  /** @param send tells the frame that the result of an approval was received */
  constructor(private readonly send: (approval: string) => void) {}

  /** The page has a result: it counts as received after some seconds, or when the page asks for the next. */
  add(approval: string): void {
    this.#kept.add(approval);
    setTimeout(() => this.#send(approval), KEPT_MS);
  }

  /** The page asks for the next. */
  flush(): void {
    for (const approval of this.#kept) this.#send(approval);
  }

  #send(approval: string): void {
    if (this.#kept.delete(approval)) this.send(approval);
  }
}
