// What the gateway and its proof workers say to each other: one question at a time, one reply to each.
import type { EncodedPoint, KeyPair, SignedClaim } from '../../zk/index.js';

export type Question =
  | { ask: 'key' }
  /** Sign a claim by the points of its schema version. */
  | { ask: 'sign'; claim: SignedClaim; points: EncodedPoint[]; secretKey: Uint8Array };

export type Reply =
  /** Sent once, when questions can be taken; `isOff`: the proof library is not installed. */
  | { is: 'ready'; isOff: boolean }
  | ({ is: 'key' } & KeyPair)
  | { is: 'signed'; signature: Uint8Array }
  /** The claim has no canonical form, or too many points. */
  | { is: 'refused' };
