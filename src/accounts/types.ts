// Accounts and core ids as holders see them (contract §21).
import { z } from 'zod';
import { input, record, safeCount } from '../base/record.js';
import { coreIdDetails } from '../holders/types.js';
import { labelText } from './core-id-names.js';

export const smartAccount = record('SmartAccount', "A holder's smart account.", {
  address: z.string().describe('Its address, which it has before it is deployed.'),
  owner: z.string().describe('The key that signs for it, or the account itself if it is a contract wallet.'),
  chainId: safeCount.nullable().describe('The chain it is on; null without a chain.'),
  deployed: z.boolean().describe('Whether there is code at its address.'),
}).meta({ id: 'SmartAccount' });
export type SmartAccount = z.output<typeof smartAccount>;

export const deploySmartAccountPayload = record('DeploySmartAccountPayload', 'A deployment in progress.', {
  txHash: z.string().nullable().describe('Its transaction; null until it is signed: query chainJob.'),
  jobId: z.string().describe('Its job.'),
});
export type AccountDeployment = z.output<typeof deploySmartAccountPayload>;

export const claimCoreIdInput = input('ClaimCoreIdInput', 'The core id to claim.', {
  name: labelText
    .optional()
    .describe('Its name without the root: 3 to 32 of a-z and 0-9, with single hyphens inside; default: none.'),
});
export type ClaimCoreIdInput = z.output<typeof claimCoreIdInput>;

/** The client SDK's ClaimCoreIdResult. */
export const claimCoreIdPayload = record('ClaimCoreIdPayload', 'A core id that is minting or minted.', {
  coreId: coreIdDetails.describe('The core id.'),
});

/** ERC-721's metadata. */
export const coreIdMetadata = z
  .object({
    name: z.string().describe('Its name.'),
    description: z.string().describe('What it is.'),
    image: z.string().optional().describe('Address of its image.'),
    attributes: z.array(z.object({ trait_type: z.string(), value: z.string() })).describe('Its attributes.'),
  })
  .meta({ id: 'CoreIdMetadata' });
export type CoreIdMetadata = z.output<typeof coreIdMetadata>;
