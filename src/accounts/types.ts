// GraphQL types of accounts and core ids (contract §21).
import { Field, InputType, ObjectType } from 'type-graphql';
import { SafeIntScalar } from '../graphql/shapes/scalars.js';
import { CoreIdDetails } from '../holders/types.js';

@ObjectType({ simpleResolvers: true, description: "A holder's smart account." })
export class SmartAccount {
  @Field(() => String, { description: 'Its address, which it has before it is deployed.' })
  address: string;

  @Field(() => String, { description: 'The key that signs for it, or the account itself if it is a contract wallet.' })
  owner: string;

  @Field(() => SafeIntScalar, { nullable: true, description: 'The chain it is on; null without a chain.' })
  chainId: number | null;

  @Field(() => Boolean, { description: 'Whether there is code at its address.' })
  deployed: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A deployment in progress.' })
export class DeploySmartAccountPayload {
  @Field(() => String, { nullable: true, description: 'Its transaction; null until it is signed: query chainJob.' })
  txHash: string | null;

  @Field(() => String, { description: 'Its job.' })
  jobId: string;
}

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
