// The stored state of the sender.

/** The sender's progress on one chain; only the newest term can change it. */
export interface SenderState {
  /** The nonce of the next transaction. */
  nonce: number;
  /** Why nothing is sent until `cli chain resume`. */
  stopped?: string;
  /** The operator lets the sender continue, with the chain's nonce. */
  resume?: boolean;
}

/** The checkpoint of a key on a chain, because nonces belong to both. */
export const senderCheckpoint = (chainId: number, relayer: string): string => `chain ${chainId} ${relayer}`;

/** The checkpoints of all keys on a chain. */
export const senderCheckpoints = (chainId: number): RegExp => new RegExp(`^chain ${chainId} `);
