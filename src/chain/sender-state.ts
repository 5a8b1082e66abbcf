// What a sender remembers from one term to the next.

/** What the sender has reached on one chain; only the newest term moves it. */
export interface SenderState {
  /** The nonce of the next transaction. */
  nonce: number;
  /** Why nothing is sent until `cli chain resume`. */
  stopped?: string;
  /** The operator has seen it: go on with the nonce that the chain says. */
  resume?: boolean;
}

/** The checkpoint of a sender with a key on a chain: nonces belong to both. */
export const senderCheckpoint = (chainId: number, relayer: string): string => `chain ${chainId} ${relayer}`;

/** The checkpoints of all keys on a chain. */
export const senderCheckpoints = (chainId: number): RegExp => new RegExp(`^chain ${chainId} `);
