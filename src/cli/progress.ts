// Progress for people: one line that is redrawn on a terminal, nothing elsewhere (results are printed as plain lines there).
import type { WriteStream } from 'node:tty';

const REDRAW_MS = 100;
const WIDTH = 30;

export class ProgressBar {
  #drawnAt = 0;
  #drawn = false;

  /** @param out where to draw; anything but a terminal stays untouched. */
  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly out: Pick<WriteStream, 'isTTY' | 'write'>,
  ) {}

  /** Shows how far the work is. */
  update(done: number, note = ''): void {
    const now = Date.now();
    if (!this.out.isTTY || (now - this.#drawnAt < REDRAW_MS && done < this.total)) return;
    this.#drawnAt = now;
    this.#drawn = true;
    const filled = this.total === 0 ? WIDTH : Math.round((WIDTH * Math.min(done, this.total)) / this.total);
    const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
    this.out.write(`\r\u001b[2K${this.label} [${bar}] ${done}/${this.total} ${note}`);
  }

  /** Clears the line, so that what is printed next stands alone. */
  clear(): void {
    if (this.#drawn) this.out.write('\r\u001b[2K');
    this.#drawn = false;
  }
}
