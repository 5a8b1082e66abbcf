// Accounts and core ids as holders see them (contract §21).
import { Field, InputType, ObjectType } from 'type-graphql';
import { z } from 'zod';
import { record, safeCount } from '../base/record.js';
import { CoreIdDetails } from '../holders/types.js';

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

@InputType({ description: 'The core id to claim.' })
export class ClaimCoreIdInput {
  @Field(() => String, {
    nullable: true,
    description: 'Its name without the root: 3 to 32 of a-z and 0-9, with single hyphens inside; default: none.',
  })
  name?: string | null;
}

/** The client SDK's ClaimCoreIdResult. */
@ObjectType({ simpleResolvers: true, description: 'A core id that is minting or minted.' })
export class ClaimCoreIdPayload {
  @Field(() => CoreIdDetails, { description: 'The core id.' })
  coreId: CoreIdDetails;
}
