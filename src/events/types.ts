// GraphQL types of events: the interface, the client SDK's events and the network's own.
import { createUnionType, Extensions, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { TextFilter } from '../graphql/shapes/filters.js';
import { interfaceType, objectType } from '../graphql/shapes/from-zod.js';
import { CoreInitializationResult, CoreLoginResult } from '../holders/session-types.js';
import { CoreIdDetails } from '../holders/types.js';
import { type WalletInitialized, walletInitialized } from '../holders/wallet-types.js';
import { BatchState } from '../issuance/batches/types.js';
import { RevocationJobState } from '../issuance/revocations/types.js';
import { networkEvent } from './views.js';

const NetworkEvent = interfaceType(networkEvent);
const CoreWalletInitializedResult = objectType(walletInitialized);

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: 'A session was resumed.' })
export class InitializedEvent extends NetworkEvent {
  @Field(() => CoreInitializationResult, { description: 'Whether an earlier session continues.' })
  result: CoreInitializationResult;
}

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: 'The holder logged in.' })
export class LoggedInEvent extends NetworkEvent {
  @Field(() => CoreLoginResult, { description: 'The holder, without its token.' })
  result: CoreLoginResult;
}

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: "The holder's account was registered." })
export class WalletInitializedEvent extends NetworkEvent {
  @Field(() => CoreWalletInitializedResult, { description: 'The registered account.' })
  result: WalletInitialized;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: "The holder's core id is being minted.",
})
export class CoreIdMintingStartedEvent extends NetworkEvent {}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: "The holder's core id was minted.",
})
export class CoreIdMintedEvent extends NetworkEvent {
  @Field(() => CoreIdDetails, { description: 'The record.' })
  result: CoreIdDetails;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: "The holder's core id could not be minted.",
})
export class CoreIdMintingFailedEvent extends NetworkEvent {
  @Field(() => String, { nullable: true, description: 'Why, in a sentence for a person.' })
  errorMessage?: string | null;
}

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: 'The holder logged out.' })
export class LoggedOutEvent extends NetworkEvent {}

export const SdkEvent = createUnionType({
  name: 'SdkEvent',
  description: "An event of a holder's own sessions, as client SDKs report it.",
  types: () =>
    [
      InitializedEvent,
      LoggedInEvent,
      WalletInitializedEvent,
      CoreIdMintingStartedEvent,
      CoreIdMintedEvent,
      CoreIdMintingFailedEvent,
      LoggedOutEvent,
    ] as const,
});

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'An issuance was submitted, stored, anchored, revoked or removed from the chain, or has expired.',
})
export class IssuanceEvent extends NetworkEvent {
  @Field(() => String, {
    nullable: true,
    description: 'Hash of the claim; null for a package that was stored without a claim.',
  })
  coreClaimHash?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the credential; null without a claim.' })
  credentialId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Id of the issuer; null without a claim.',
  })
  issuerId?: string | null;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { nullable: true, description: 'Address of the stored package: `dstorage://vc/<id>`.' })
  storagePath?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'DID of the holder, for a package that was stored without a claim.',
  })
  holderDid?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'The public status of an issuance has changed.',
})
export class CredentialStatusChangedEvent extends NetworkEvent {
  @Field(() => String, { description: 'Hash of the claim.' })
  coreClaimHash: string;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'The progress of a batch at the time of the event.',
})
export class BatchEvent extends NetworkEvent {
  @Field(() => String, { description: 'Id of the batch.' })
  jobId: string;

  @Field(() => BatchState, { description: 'Its state at the time of the event.' })
  state: BatchState;

  @Field(() => Boolean, { description: 'Whether rows are only checked.' })
  dryRun: boolean;

  @Field(() => Int, { description: 'All rows.' })
  total: number;

  @Field(() => Int, { description: 'Rows that are issued, or valid in a dry run.' })
  done: number;

  @Field(() => Int, { description: 'Rows refused.' })
  failed: number;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'The progress of a revocation by filter at the time of the event.',
})
export class RevocationEvent extends NetworkEvent {
  @Field(() => String, { description: 'Id of the revocation.' })
  jobId: string;

  @Field(() => RevocationJobState, { description: 'Its state at the time of the event.' })
  state: RevocationJobState;

  @Field(() => Int, { description: 'All issuances of the preview.' })
  total: number;

  @Field(() => Int, { description: 'How many of them are processed.' })
  done: number;

  @Field(() => Int, { description: 'How many the job has revoked.' })
  revoked: number;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description:
    "A holder allowed a verifier to have its compliance access key. Sent to the holder and to the issuer's partners.",
})
export class CakAuthorizedEvent extends NetworkEvent {
  @Field(() => String, { description: 'userId of the holder.' })
  userId: string;

  @Field(() => String, { description: 'Decentralized identifier of the verifier.' })
  verifierDid: string;

  @Field(() => String, { description: 'Id of the schema that the key is for.' })
  schemaId: string;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'The gateway disabled an endpoint of the partner. A test ping that it accepts enables it again.',
})
export class WebhookDisabledEvent extends NetworkEvent {
  @Field(() => ID, { description: 'Id of the webhook.' })
  webhookId: string;

  @Field(() => String, { description: 'gone: it responded with 410; failing: every attempt of three days failed.' })
  reason: string;
}

@ObjectType({ simpleResolvers: true, description: 'An entry of the catalog that was added, changed or retired.' })
export class CatalogChange {
  @Field(() => String, { description: 'catalog_entry_added, catalog_entry_changed or catalog_entry_retired.' })
  type: string;

  @Field(() => String, { description: 'issuers, verifiers, schemas, credentials or programs.' })
  kind: string;

  @Field(() => String, { description: "The entry's own id." })
  entryId: string;
}

/** Most changes in one result, for the cost of an operation. */
const MAX_CHANGES = 100;

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description:
    'Entries of the catalog changed. Changes within 250 ms are sent as one event of at most 100 entries. `type` is catalog_changed if they are of several types.',
})
export class CatalogChangedEvent extends NetworkEvent {
  @Extensions({ size: MAX_CHANGES })
  @Field(() => [CatalogChange], { description: 'The changes, in order.' })
  changes: CatalogChange[];
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'The counts of a credential changed. Changes within 250 ms are sent as one event.',
})
export class TractionChangedEvent extends NetworkEvent {
  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: 'A verification was started, proved or closed, or has lapsed: its claim ended after it was Compliant.',
})
export class VerificationEvent extends NetworkEvent {
  @Field(() => String, { description: 'Which verification.' })
  verificationId: string;

  @Field(() => String, { description: 'Id of the program.' })
  programId: string;

  @Field(() => String, { description: 'Its status at the time of the event.' })
  status: string;

  @Field(() => String, { nullable: true, description: 'Why, if the status alone does not say it.' })
  reason?: string | null;
}

@InputType({ description: 'A filter of verification events; all given fields must match.' })
export class VerificationEventWhere {
  @Field(() => TextFilter, { nullable: true, description: 'By program.' })
  programId?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: 'By status.' })
  status?: TextFilter | null;
}

@InputType({ description: 'A filter of issuance events; all given fields must match.' })
export class IssuanceEventWhere {
  @Field(() => TextFilter, {
    nullable: true,
    description: 'By type: submitted, stored, anchored, revoked, removed, expired.',
  })
  type?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: 'By credential.' })
  credentialId?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: 'By the id of the issuer.' })
  issuerId?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: 'By schema.' })
  schemaId?: TextFilter | null;
}
