// The verifier's statements about signatures.
import { type Library, refused } from './library.js';
import type { Parameters } from './parameters.js';
import { StatementCache } from './statement-cache.js';

/** The content of a signature's statement. */
export interface SignatureFacts {
  /** The number of signed messages, including the header. */
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

  /** The statement; undefined if the key is invalid. @throws the library's error for a message that is not a field element */
  of({ messages, publicKey, disclosed }: SignatureFacts): Uint8Array | undefined {
    const name = [messages, publicKey, ...[...disclosed].flat()].join(' ');
    return this.#cache.of(name, () => {
      if (refused(() => this.library.bbsIsPublicKeyValid(publicKey)) !== true) return undefined;
      const params = this.parameters.signatures(messages);
      return this.library.generatePoKBBSSignatureVerifierStatementNew(params, publicKey, disclosed, false);
    });
  }
}
