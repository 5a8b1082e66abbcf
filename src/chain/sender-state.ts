// The stored state of the sender.

/** The sender's progress on one chain; only the newest term can change it. */
export interface SenderState {
  /** The nonce of the next transaction. */
  nonce: number;
  /** Why nothing is sent until `cli chain resume`. */
  stopped?: string;
  /** Set when the operator lets the sender continue; it then reads its nonce from the chain. */
  resume?: boolean;
}

/** The name of the sender's checkpoint. Nonces belong to a chain and a key, so it has both. */
export const senderCheckpoint = (chainId: number, relayer: string): string => `chain ${chainId} ${relayer}`;

/** The checkpoints of all keys on a chain. */
export const senderCheckpoints = (chainId: number): RegExp => new RegExp(`^chain ${chainId} `);
