// Erasing a holder, for every domain: each adds how it forgets one, and the erasure domain calls them all.

/** A holder that is being erased: all by which its rows are found. */
export interface ErasedHolder {
  holderId: string;
  did: string;
  /** In canonical form. */
  email: string;
  /** Of its accounts, and of the keys that sign for them. */
  addresses: readonly string[];
  /** When it was erased: what is of its e-mail address from then on is of a new holder. */
  at: Date;
  /** The operator that erased it. */
  keyName: string;
  /** What the audit log names instead of the holder. */
  erasureId: string;
}

/** How a domain forgets a holder. */
export interface Eraser {
  /** Why the holder cannot be erased now: a sentence; undefined: it can. */
  obstacle?(holder: Pick<ErasedHolder, 'holderId'>): Promise<string | undefined>;
  /**
   * Deletes what is of the holder, and takes the holder out of what stays. It may be stopped and run again, and finds what was added since.
   * Whole collections are read in pieces (`pieces.ts`). @throws the signal's reason once that aborts.
   */
  erase(holder: ErasedHolder, signal: AbortSignal): Promise<void>;
}

/** The erasers of all domains, in the order in which they were added. */
export class Erasers {
  readonly #erasers: Eraser[] = [];

  add(eraser: Eraser): void {
    this.#erasers.push(eraser);
  }

  get all(): readonly Eraser[] {
    return this.#erasers;
  }
}

/** What stands in rows that stay, where the holder was named. */
export const ERASED = 'erased';

/** A text as part of a regular expression. */
export const escapedPattern = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '\\$&');
