// Shapes of accounts, core ids and JSON-RPC (contract §21, §22).
import { CORE_ID } from '../holders/holders.shapes.js';
import { ANY, listOf, named, object, oneOf, TEXT } from '../http/routes/shapes.js';

/** Being minted, or minted. */
export const CLAIMED_CORE_ID = object({ coreId: CORE_ID });

/** ERC-721's metadata. */
export const CORE_ID_METADATA = named(
  'CoreIdMetadata',
  object({
    name: TEXT,
    description: TEXT,
    'image?': TEXT,
    attributes: listOf(object({ trait_type: TEXT, value: TEXT })),
  }),
);

const RPC_RESPONSE = named(
  'RpcAnswer',
  object({
    jsonrpc: oneOf('2.0'),
    id: { type: ['string', 'number', 'null'] },
    'result?': ANY,
    'error?': object({ code: { type: 'integer' }, message: TEXT, 'data?': ANY }),
  }),
);

/** One response, or those of a batch. */
export const RPC_RESPONSES = { anyOf: [RPC_RESPONSE, listOf(RPC_RESPONSE)] };
