// Progress for people: one line that is redrawn on a terminal, and occasional plain lines elsewhere.

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;
const WIDTH = 30;

/** Where progress is drawn. */
export interface ProgressStream {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** @param out gets a bar if it is a terminal, otherwise lines. */
export class ProgressBar {
  readonly #startedAt: number;
  #drawnAt: number;
  #isDrawn = false;

  /** @param out a terminal gets a bar, anything else gets lines. */
  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly out: ProgressStream,
    private readonly clock: () => number = Date.now,
  ) {
    this.#startedAt = clock();
    // On a terminal the bar appears at once, even for a short job; elsewhere the first line appears after a while.
    this.#drawnAt = out.isTTY ? 0 : this.#startedAt;
  }

  /** Shows the progress. */
  update(done: number, note = ''): void {
    const { isTTY } = this.out;
    const isLast = isTTY && done >= this.total;
    if (!isLast && this.clock() - this.#drawnAt < (isTTY ? REDRAW_MS : PLAIN_LINE_MS)) return;
    this.#drawnAt = this.clock();
    this.#isDrawn = true;
    const count = [`${done}/${this.total}`, ...this.#pace(done), ...(note === '' ? [] : [note])].join(', ');
    this.out.write(isTTY ? `\r\u001b[2K${this.label} [${this.#bar(done)}] ${count}` : `${this.label} ${count}\n`);
  }

  /** Clears the line for the next output. */
  clear(): void {
    if (this.#isDrawn && this.out.isTTY) this.out.write('\r\u001b[2K');
    this.#isDrawn = false;
  }

  /** The number per second since the start, and how long the rest takes at that rate. */
  #pace(done: number): string[] {
    const seconds = (this.#drawnAt - this.#startedAt) / 1_000;
    if (seconds <= 0 || done === 0) return [];
    const rate = done / seconds;
    const left = done < this.total ? [`${durationText((this.total - done) / rate)} left`] : [];
    return [`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`, ...left];
  }

  #bar(done: number): string {
    const filled = this.total === 0 ? WIDTH : Math.round((WIDTH * Math.min(done, this.total)) / this.total);
    return `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
  }
}

const MINUTE = 60;
const HOUR = 3_600;

function durationText(seconds: number): string {
  if (seconds < 2 * MINUTE) return `${Math.ceil(seconds)} s`;
  if (seconds < 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} min`;
  return `${Math.ceil(seconds / HOUR)} h`;
}
