// Progress for people: one line that is redrawn on a terminal, and occasional plain lines elsewhere.

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;
const WIDTH = 30;

/** Where progress is drawn. */
export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Draws the progress of a command. */
export class ProgressBar {
  #drawnAt: number;
  #isDrawn = false;

  /** @param out a terminal gets a bar, anything else gets lines. */
  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly out: ProgressStream,
    private readonly clock: () => number = Date.now,
  ) {
    // A terminal shows the bar at once, even of a short job; elsewhere the first line follows later.
    this.#drawnAt = out.isTTY ? 0 : clock();
  }

  /** Shows the progress. */
  update(done: number, note = ''): void {
    const { isTTY } = this.out;
    const isLast = isTTY && done >= this.total;
    if (!isLast && this.clock() - this.#drawnAt < (isTTY ? REDRAW_MS : PLAIN_LINE_MS)) return;
    this.#drawnAt = this.clock();
    this.#isDrawn = true;
    const count = `${done}/${this.total}${note === '' ? '' : `, ${note}`}`;
    this.out.write(isTTY ? `\r\u001b[2K${this.label} [${this.#bar(done)}] ${count}` : `${this.label} ${count}\n`);
  }

  /** Clears the line for the next output. */
  clear(): void {
    if (this.#isDrawn && this.out.isTTY) this.out.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  #bar(done: number): string {
    const filled = this.total === 0 ? WIDTH : Math.round((WIDTH * Math.min(done, this.total)) / this.total);
    return `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
  }
}
