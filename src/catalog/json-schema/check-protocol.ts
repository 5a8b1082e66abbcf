// What the gateway and its check worker say to each other: one question at a time, one reply to each.
import type { Misfit } from './subject-check.js';

export type Question =
  /** Compile a document, given as JSON text, and keep it under `key`. */
  | { ask: 'compile'; key: string; document: string }
  /** Check a subject against the document compiled under `key`. */
  | { ask: 'check'; key: string; subject: Record<string, unknown> };

export type Reply =
  /** Sent once, when questions can be taken. */
  | { is: 'ready' }
  /** `reason`: why the document cannot be used, a sentence for a person. */
  | { is: 'compiled'; reason?: string }
  | { is: 'checked'; misfit?: Misfit };

/** Documents that are kept compiled, on both sides in the same order of use. */
export const MAX_COMPILED = 200;
