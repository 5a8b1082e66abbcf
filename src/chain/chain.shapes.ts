// Shapes of the chain's responses (contract §18 to §20).
import { about, BOOLEAN, COUNT, listOf, named, object, oneOf, orNull, TEXT, TIME } from '../http/shapes.js';

export const CHAIN_STATUS = named(
  'ChainStatus',
  object({
    configured: BOOLEAN,
    chainId: orNull(COUNT),
    blockNumber: orNull(COUNT),
    contracts: object({
      anchorRegistry: orNull(TEXT),
      coreId: orNull(TEXT),
      accountFactory: orNull(TEXT),
      entryPoint: orNull(TEXT),
    }),
  }),
);

/** Where a digest is on the chain. */
export const ANCHOR = named(
  'Anchor',
  object({
    chainId: COUNT,
    registry: TEXT,
    kind: about('0 a claim, 1 its removal, 2 a verification.', COUNT),
    root: TEXT,
    leaf: TEXT,
    proof: about('Siblings from the leaf up.', listOf(TEXT)),
    transactionHash: TEXT,
    blockNumber: COUNT,
    confirmedAt: TIME,
  }),
);

const STATE = oneOf('queued', 'signed', 'sent', 'mined', 'confirmed', 'failed');
const TRANSACTION_FACTS = {
  replacedBy: about('The transaction that replaced it.', orNull(TEXT)),
  state: STATE,
  blockNumber: orNull(COUNT),
  confirmations: COUNT,
};

export const TRANSACTION = named('Transaction', object({ txHash: orNull(TEXT), ...TRANSACTION_FACTS }));
export const JOB = named(
  'ChainJob',
  object({ jobId: TEXT, txHash: orNull(TEXT), ...TRANSACTION_FACTS, 'errorMessage?': TEXT }),
);
