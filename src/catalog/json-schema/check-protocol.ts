// The messages between the gateway and its check worker: one question at a time, one reply to each.
import type { Misfit } from './misfit.js';

export type CheckQuestion =
  /**
   * Compile a document, given as JSON text, and store it under `key`. `did`: a holder's DID, to try a new document
   * with.
   */
  | { ask: 'compile'; key: string; document: string; did?: string }
  /** Check a subject against the document compiled under `key`. */
  | { ask: 'check'; key: string; subject: Record<string, unknown> };

export type CheckReply =
  /** Sent once, when the worker is ready for questions. */
  | { is: 'ready' }
  /** `reason`: why the document cannot be used, in one sentence for a person. */
  | { is: 'compiled'; reason?: string }
  | { is: 'checked'; misfit?: Misfit };

/** How many compiled documents are cached. Both sides evict the same ones, because both see the same order of use. */
export const MAX_COMPILED = 200;
