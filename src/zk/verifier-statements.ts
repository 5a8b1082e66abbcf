// The verifier's statements of signatures, cached: checking a key and making its statement takes 16 ms, as long as a tenth of a short proof.
import { type Library, refused } from './library.js';
import type { Parameters } from './parameters.js';

/** Each is about a kilobyte for a signature over 64 messages. */
const MAX_CACHED = 256;

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
  readonly #statements = new Map<string, Uint8Array>();

  constructor(
    private readonly library: Library,
    private readonly parameters: Parameters,
  ) {}

  /** The statement; undefined when the key is not valid. @throws the library's error for a message that is no number of the field */
  of({ messages, publicKey, disclosed }: SignatureFacts): Uint8Array | undefined {
    const name = [messages, publicKey, ...[...disclosed].flat()].join(' ');
    const cached = this.#statements.get(name);
    if (cached) return cached;
    if (refused(() => this.library.bbsIsPublicKeyValid(publicKey)) !== true) return undefined;
    const params = this.parameters.signatures(messages);
    const statement = this.library.generatePoKBBSSignatureVerifierStatementNew(params, publicKey, disclosed, false);
    const [oldest] = this.#statements.keys();
    if (oldest !== undefined && this.#statements.size >= MAX_CACHED) this.#statements.delete(oldest);
    this.#statements.set(name, statement);
    return statement;
  }
}
