// Where wallets find the metadata of core ids: CoreId's `tokenURI` is an address of the gateway and the token id (ERC-721). `cli chain deploy`
// sets it, from the owner's key; on a devnet the sender does.
import { randomUUID } from 'node:crypto';
import { encoded } from '../evm/contracts.js';
import { ask, NODE } from '../evm/rpc.js';
import type { JobHandler } from './job-handlers.js';
import type { ChainLink } from './link.js';
import type { ChainModels, ChainRow } from './models.js';
import type { ChainOutbox } from './outbox.service.js';

/** The beginning of metadata addresses; the token id follows. @param publicUrl without a trailing slash. */
export const metadataBaseOf = (publicUrl: string): string => `${publicUrl}/v1/core-ids/`;

/** Stores the metadata base once the contract has it. */
export function metadataHandler({ chains }: ChainModels): JobHandler {
  return {
    confirmed: async ({ args }, { chainId }, session) => {
      await chains.updateOne({ _id: String(chainId) }, { $set: { metadataBase: String(args.base) } }, { session });
    },
  };
}

/** Adds a job that sets the base, unless the contract has it. Returns the ids of added jobs. */
export async function putMetadataBase(
  chainId: number,
  base: string,
  { models, outbox }: { models: ChainModels; outbox: ChainOutbox },
): Promise<string[]> {
  const row = await models.chains.findById(String(chainId)).lean<ChainRow>();
  if (row?.metadataBase === base) return [];
  const jobId = `metadata ${chainId} ${randomUUID()}`;
  await outbox.put({ jobId, kind: 'metadata', args: { base } });
  return [jobId];
}

/** Whether the relayer owns CoreId, and so may set the base. @throws ChainUnreachable when the chain does not respond. */
export async function isOwner({ rpc, contracts, relayer }: ChainLink): Promise<boolean> {
  const data = await encoded('CoreId', 'owner', []);
  const word = await ask(rpc, NODE.hex, 'eth_call', [{ to: contracts.coreId, data }, 'latest']);
  return word.toLowerCase().endsWith(relayer.slice(2).toLowerCase());
}
