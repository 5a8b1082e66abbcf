// Writes the result file of a running `issue-batch`: now and then, because each time it is written whole.
import { DomainError } from '../base/errors.js';
import type { FileRow } from './batch-file.js';
import type { BatchResults } from './batch-results.js';
import { countOf } from './output.js';

/** Minimum interval between writes while rows end. */
const SAVE_MS = 2_000;

export class ResultSaver {
  #savedAt = Date.now();
  #isUnsaved = false;
  /** How many rows the gateway has, for the message if they cannot be saved. */
  sent = 0;

  constructor(
    private readonly results: BatchResults,
    private readonly rows: readonly FileRow[],
    private readonly isDryRun = false,
  ) {}

  /** Writes the file. @throws DomainError, with what to do. */
  save(): void {
    try {
      this.results.save(this.rows);
    } catch (cause) {
      throw new DomainError('BAD_USER_INPUT', `${messageOf(cause)} ${this.#next()}`, {}, { cause });
    }
    this.#savedAt = Date.now();
    this.#isUnsaved = false;
  }

  /** Results have changed: they are written now, or soon. */
  changed(): void {
    this.#isUnsaved = true;
    if (Date.now() - this.#savedAt > SAVE_MS) this.save();
  }

  /** Writes what has changed since it was written last. @throws DomainError as `save`. */
  flush(): void {
    if (this.#isUnsaved) this.save();
  }

  /** The gateway recognises rows that it already has, so the same command can be run again. */
  #next(): string {
    if (this.isDryRun) return 'Nothing was issued: run the same command again.';
    return `${countOf(this.sent, 'row was', 'rows were')} sent: run the same command again within 24 hours to continue; nothing is issued twice.`;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
