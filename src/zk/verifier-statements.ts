// The verifier's statements of signatures.
import { type Library, refused } from './library.js';
import type { Parameters } from './parameters.js';
import { StatementCache } from './statement-cache.js';

/** What a signature's statement is about. */
export interface SignatureFacts {
  /** How many messages are signed, the header included. */
  messages: number;
  publicKey: Uint8Array;
  /** Disclosed messages by position. */
  disclosed: Map<number, Uint8Array>;
}

/** Statements that a key signed some messages. */
export class VerifierStatements {
  readonly #cache = new StatementCache();

  constructor(
    private readonly library: Library,
    private readonly parameters: Parameters,
  ) {}

  /** The statement; undefined when the key is not valid. @throws the library's error for a message that is no number of the field */
  of({ messages, publicKey, disclosed }: SignatureFacts): Uint8Array | undefined {
    const name = [messages, publicKey, ...[...disclosed].flat()].join(' ');
    return this.#cache.of(name, () => {
      if (refused(() => this.library.bbsIsPublicKeyValid(publicKey)) !== true) return undefined;
      const params = this.parameters.signatures(messages);
      return this.library.generatePoKBBSSignatureVerifierStatementNew(params, publicKey, disclosed, false);
    });
  }
}
