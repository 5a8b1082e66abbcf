// A finding of `doctor` about one part of an installation, and how to correct it.

/** A finding: `warn` works now but may fail later, `bad` does not work. */
export interface Finding {
  /** The examined part: `store`, `clock`, … */
  part: string;
  state: 'ok' | 'warn' | 'bad';
  /** One sentence. */
  says: string;
  /** What the operator should do; absent if nothing is wrong. */
  mend?: string;
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says });
export const warn = (part: string, says: string, mend: string): Finding => ({ part, state: 'warn', says, mend });
export const bad = (part: string, says: string, mend: string): Finding => ({ part, state: 'bad', says, mend });
