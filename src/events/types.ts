// GraphQL types of events with forms of other domains: results of sessions, and states of jobs. The others are in records.ts.
import { createUnionType, Field, Int, ObjectType } from 'type-graphql';
import { enumType, interfaceType, objectType } from '../graphql/shapes/from-zod.js';
import { coreInitializationResult, type LoginResult, loginResult } from '../holders/session-types.js';
import { type CoreIdDetails as CoreIdRecord, coreIdDetails } from '../holders/types.js';
import { type Batch, batchState } from '../issuance/batches/types.js';
import { type RevocationJob, revocationJobState } from '../issuance/revocations/types.js';
import {
  CoreIdMintingFailedEvent,
  CoreIdMintingStartedEvent,
  LoggedOutEvent,
  WalletInitializedEvent,
} from './records.js';
import { networkEvent } from './views.js';

const NetworkEvent = interfaceType(networkEvent);
const CoreInitializationResult = objectType(coreInitializationResult);
const CoreLoginResult = objectType(loginResult);
const CoreIdDetails = objectType(coreIdDetails);
const BatchState = enumType(batchState);
const RevocationJobState = enumType(revocationJobState);

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: 'A session was resumed.' })
export class InitializedEvent extends NetworkEvent {
  @Field(() => CoreInitializationResult, { description: 'Whether an earlier session continues.' })
  result: { rehydrated: boolean };
}

@ObjectType({ simpleResolvers: true, implements: NetworkEvent, description: 'The holder logged in.' })
export class LoggedInEvent extends NetworkEvent {
  @Field(() => CoreLoginResult, { description: 'The holder, without its token.' })
  result: Omit<LoginResult, 'token'>;
}

@ObjectType({
  simpleResolvers: true,
  implements: NetworkEvent,
  description: "The holder's core id was minted.",
})
export class CoreIdMintedEvent extends NetworkEvent {
  @Field(() => CoreIdDetails, { description: 'The record.' })
  result: CoreIdRecord;
}

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
  description: 'The progress of a batch at the time of the event.',
})
export class BatchEvent extends NetworkEvent {
  @Field(() => String, { description: 'Id of the batch.' })
  jobId: string;

  @Field(() => BatchState, { description: 'Its state at the time of the event.' })
  state: Batch['state'];

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
  state: RevocationJob['state'];

  @Field(() => Int, { description: 'All issuances of the preview.' })
  total: number;

  @Field(() => Int, { description: 'How many of them are processed.' })
  done: number;

  @Field(() => Int, { description: 'How many the job has revoked.' })
  revoked: number;
}
