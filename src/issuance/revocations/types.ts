// GraphQL types of revocations by filter.
import { Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Issuance } from '../types.js';

export enum RevocationJobState {
  RUNNING = 'running',
  FINISHED = 'finished',
}
registerEnumType(RevocationJobState, {
  name: 'RevocationJobState',
  description: 'The state of a revocation by filter.',
  valuesConfig: {
    RUNNING: { description: 'In progress; the status lists do not show its revocations yet.' },
    FINISHED: { description: 'Done; the status lists show all revocations.' },
  },
});

export enum RevocableStatus {
  WAIT_ONCHAIN = 'WAIT_ONCHAIN',
  ONCHAIN = 'ONCHAIN',
  EXPIRE = 'EXPIRE',
}
registerEnumType(RevocableStatus, {
  name: 'RevocableStatus',
  description: 'The status of an issuance that is not revoked.',
  valuesConfig: {
    WAIT_ONCHAIN: { description: 'Valid, and not on the chain yet.' },
    ONCHAIN: { description: 'Valid, and on the chain.' },
    EXPIRE: { description: 'Expired.' },
  },
});

@InputType({
  description:
    'Which issuances to revoke. All given fields must match; at least one field that narrows the set is required.',
})
export class PreviewRevocationInput {
  @Field(() => String, { nullable: true, description: 'Of this credential.' })
  credentialId?: string | null;

  @Field(() => String, { nullable: true, description: 'On this schema.' })
  schemaId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the issuer with this DID.' })
  issuerDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the holder with this DID.' })
  holderDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the holder with this userId.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'Issued by this batch: its jobId.' })
  batchId?: string | null;

  @Field(() => String, { nullable: true, description: 'Issued by this partner. Operators only.' })
  partnerId?: string | null;

  @Field(() => Date, { nullable: true, description: 'Issued at this moment or later.' })
  issuedFrom?: Date | null;

  @Field(() => Date, { nullable: true, description: 'Issued before this moment.' })
  issuedBefore?: Date | null;

  @Field(() => RevocableStatus, { nullable: true, description: 'With this status.' })
  status?: RevocableStatus | null;
}

@InputType({ description: 'A revocation to start.' })
export class ConfirmRevocationInput {
  @Field(() => String, { description: 'The token of the preview.' })
  token: string;

  @Field(() => String, {
    nullable: true,
    description: 'For 24 hours, requests with the same key get the first response again.',
  })
  idempotencyKey?: string | null;
}

@ObjectType('RevocationFilter', {
  simpleResolvers: true,
  description: 'The filter of a revocation, as it was previewed.',
})
export class RevocationFilterType {
  @Field(() => String, { nullable: true, description: 'Of this credential.' })
  credentialId?: string | null;

  @Field(() => String, { nullable: true, description: 'On this schema.' })
  schemaId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the issuer with this DID.' })
  issuerDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the holder with this DID.' })
  holderDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Of the holder with this userId.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'Issued by this batch.' })
  batchId?: string | null;

  @Field(() => String, { nullable: true, description: 'Issued by this partner.' })
  partnerId?: string | null;

  @Field(() => Date, { nullable: true, description: 'Issued at this moment or later.' })
  issuedFrom?: string | null;

  @Field(() => Date, { nullable: true, description: 'Issued before this moment.' })
  issuedBefore?: string | null;

  @Field(() => RevocableStatus, { nullable: true, description: 'With this status.' })
  status?: RevocableStatus | null;
}

@ObjectType({ simpleResolvers: true, description: 'What a filter matches at one moment.' })
export class RevocationPreviewPayload {
  @Field(() => String, {
    nullable: true,
    description: 'Starts the revocation, once; null if nothing matches. It is shown only in this response.',
  })
  token: string | null;

  @Field(() => Date, { nullable: true, description: 'Until when the token can be used.' })
  expiresAt: Date | null;

  @Field(() => Date, { description: 'When it was taken. What is issued later is not revoked.' })
  previewedAt: Date;

  @Field(() => Int, { description: 'How many match.' })
  count: number;

  @Field(() => [Issuance], { description: 'At most 10 of them.' })
  sample: Issuance[];
}

@ObjectType('RevocationJob', {
  simpleResolvers: true,
  description: 'A revocation by filter. It is stored for 30 days.',
})
export class RevocationJobType {
  @Field(() => ID, { description: 'Its id.' })
  jobId: string;

  @Field(() => RevocationJobState, { description: 'Its state.' })
  state: RevocationJobState;

  @Field(() => RevocationFilterType, { description: 'Its filter.' })
  filter: RevocationFilterType;

  @Field(() => Date, { description: 'When it was previewed.' })
  previewedAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it was started.' })
  startedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was finished; null while it runs.' })
  finishedAt: Date | null;

  @Field(() => Int, { description: 'How many issuances the preview counted. Exactly these are revoked.' })
  count: number;

  @Field(() => Int, { description: 'How many of them are processed.' })
  done: number;

  @Field(() => Int, { description: 'How many this job has revoked.' })
  revoked: number;

  @Field(() => Int, { description: 'How many were already revoked when the job reached them.' })
  revokedBefore: number;

  @Field(() => Int, { description: 'How many matched the filter when it was started.' })
  initialMatches: number;

  @Field(() => String, { nullable: true, description: "Says so if that number differs from the preview's count." })
  note: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Response of confirmRevocation.' })
export class ConfirmRevocationPayload {
  @Field(() => RevocationJobType, { description: 'The job.' })
  job: RevocationJobType;
}
