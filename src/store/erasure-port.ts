// The interface for erasing holders: each domain adds an eraser, and the erasure domain calls them all.

/** A holder that is being erased, with all names by which its rows are found. */
export interface ErasedHolder {
  holderId: string;
  did: string;
  /** In canonical form. */
  email: string;
  /** Addresses of its accounts, and of the keys that sign for them. */
  addresses: readonly string[];
  /** The time of the erasure: later rows with its e-mail address belong to a new holder. */
  at: Date;
  /** The operator that erased it. */
  keyName: string;
  /** The id that replaces the holder in the audit log. */
  erasureId: string;
}

/** Erases a holder in one domain. */
export interface Eraser {
  /** Why the holder cannot be erased now: a sentence; undefined: it can. */
  obstacle?(holder: Pick<ErasedHolder, 'holderId'>): Promise<string | undefined>;
  /** Whether something in progress will write rows of the holder when it ends. The erasure then ends later. */
  isWriting?(holder: Pick<ErasedHolder, 'holderId'>): Promise<boolean>;
  /**
   * Deletes the holder's rows, and removes the holder from rows that stay. It may be stopped and run again, and then also handles new rows.
   * Whole collections are read in pieces (`pieces.ts`). @throws the signal's reason once it aborts.
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

/** The text that replaces the holder's name in rows that stay. */
export const ERASED = 'erased';

/** A text as part of a regular expression. */
export const escapedPattern = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '\\$&');
