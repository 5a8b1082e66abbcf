// Verifications that the user has answered and whose final result the page has not received, so that a later call does not ask again.
import type { CakPlace } from '../keys/holder.js';
import { OF_HOLDER, type Store } from '../store.js';

/** A verification that is not finished. */
export interface Unfinished {
  programId: string;
  verificationId: string;
  /** The credential whose CAK the user has agreed to disclose. */
  disclosed?: Omit<CakPlace, 'issuerId'> & { credentialId: string };
}

interface OfHolder {
  holderId: string;
  verifications: Unfinished[];
}

const MAX_VERIFICATIONS = 20;

/** The unfinished verifications of a holder in this browser: at most one for each program, and the newest 20. */
export class UnfinishedVerifications {
  constructor(
    private readonly store: Store,
    private readonly holderId: string,
  ) {}

  of(programId: string): Unfinished | undefined {
    return this.#all().find((one) => one.programId === programId);
  }

  set(verification: Unfinished): void {
    this.#write([...this.#others(verification.programId), verification].slice(-MAX_VERIFICATIONS));
  }

  #others(programId: string): Unfinished[] {
    return this.#all().filter((one) => one.programId !== programId);
  }

  #all(): Unfinished[] {
    const stored = this.store.get<OfHolder>(OF_HOLDER.unfinished);
    return stored?.holderId === this.holderId ? stored.verifications : [];
  }

  #write(verifications: Unfinished[]): void {
    const { holderId } = this;
    this.store.set(OF_HOLDER.unfinished, { holderId, verifications } satisfies OfHolder);
  }
}
