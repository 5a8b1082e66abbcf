// What `doctor` finds out about one part of an installation, and how to mend it.

/** A finding: `warn` works and will not for long, `bad` does not work. */
export interface Finding {
  /** What was looked at: `store`, `clock`, … */
  part: string;
  state: 'ok' | 'warn' | 'bad';
  /** One sentence. */
  says: string;
  /** What the operator does about it; absent when all is well. */
  mend?: string;
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says });
export const warn = (part: string, says: string, mend: string): Finding => ({ part, state: 'warn', says, mend });
export const bad = (part: string, says: string, mend: string): Finding => ({ part, state: 'bad', says, mend });
