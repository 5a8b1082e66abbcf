// GraphQL types of batches.
import { Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { JsonScalar } from '../../graphql/shapes/scalars.js';
import { OnDuplicate } from '../types.js';

export enum BatchState {
  RUNNING = 'running',
  FINISHED = 'finished',
  CANCELLING = 'cancelling',
  CANCELLED = 'cancelled',
}
registerEnumType(BatchState, {
  name: 'BatchState',
  description: 'The state of a batch.',
  valuesConfig: {
    RUNNING: { description: 'Rows are waiting or being processed.' },
    FINISHED: { description: 'Every row has a result; failed ones can be retried.' },
    CANCELLING: { description: 'The waiting rows are being erased.' },
    CANCELLED: { description: 'Cancelled; issued credentials stay valid.' },
  },
});

export enum BatchRowState {
  WAITING = 'waiting',
  ISSUED = 'issued',
  CHECKED = 'checked',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
}
registerEnumType(BatchRowState, {
  name: 'BatchRowState',
  description: 'The state of a row.',
  valuesConfig: {
    WAITING: { description: 'Not processed yet; its content is sealed.' },
    ISSUED: { description: 'Issued, or matched by a live credential; its content is erased.' },
    CHECKED: { description: 'Valid in the dry run; its content is erased.' },
    FAILED: { description: 'Refused; its content stays sealed for a retry.' },
    CANCELLED: { description: 'Cancelled; its content is erased.' },
  },
});

@InputType({ description: 'One recipient of a batch.' })
export class BatchRowInput {
  @Field(() => String, {
    description:
      'The key of the row in its batch, at most 255 characters: a line number or your own id, no personal data.',
  })
  rowKey: string;

  @Field(() => String, { nullable: true, description: 'E-mail address of the recipient; this or userId.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'userId of the recipient; this or email.' })
  userId?: string | null;

  @Field(() => JsonScalar, { description: "Its content: an object that fits the schema's data points." })
  credentialSubject: unknown;

  @Field(() => Date, {
    nullable: true,
    description: "When it expires; default: after the credential's expirationDuration.",
  })
  expiresAt?: Date | null;
}

@InputType({ description: 'Many credentials of one kind to issue for a managed issuer.' })
export class IssueOnBehalfBatchInput {
  @Field(() => String, { description: 'DID of the managed issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => OnDuplicate, {
    nullable: true,
    description: 'What to do when the holder has a live credential of this kind; default REVOKE.',
  })
  onDuplicate?: OnDuplicate | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Only check every row and issue nothing; default false.',
  })
  dryRun?: boolean | null;

  @Field(() => [BatchRowInput], { description: '1 to 10,000 rows, each with a key of its own.' })
  rows: BatchRowInput[];

  @Field(() => String, {
    nullable: true,
    description: 'For 24 hours, requests with the same key get the first response again.',
  })
  idempotencyKey?: string | null;
}

@InputType({ description: 'A batch.' })
export class BatchInput {
  @Field(() => String, { description: 'Id of the batch.' })
  jobId: string;
}

@ObjectType({ simpleResolvers: true, description: 'How many rows of a batch are in each state now.' })
export class BatchProgress {
  @Field(() => Int, { description: 'All rows.' })
  total: number;

  @Field(() => Int, { description: 'Not processed yet.' })
  waiting: number;

  @Field(() => Int, { description: 'Issued.' })
  issued: number;

  @Field(() => Int, { description: 'Valid in a dry run.' })
  checked: number;

  @Field(() => Int, { description: 'Refused.' })
  failed: number;

  @Field(() => Int, { description: 'Cancelled.' })
  cancelled: number;
}

@ObjectType({ simpleResolvers: true, description: 'Why a row failed.' })
export class BatchRowError {
  @Field(() => String, { description: 'The code that issueOnBehalf would have returned.' })
  code: string;

  @Field(() => String, { nullable: true, description: 'A sentence for a person; null after the batch was cancelled.' })
  message: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of a row of a batch.' })
export class BatchRow {
  @Field(() => String, { description: 'Its key in the batch.' })
  rowKey: string;

  @Field(() => BatchRowState, { description: 'Its state.' })
  state: BatchRowState;

  @Field(() => String, { nullable: true, description: 'Hash of the claim, 64 hex digits, after it is issued.' })
  coreClaimHash: string | null;

  @Field(() => String, { nullable: true, description: 'userId of the holder, after it is issued.' })
  userUuid: string | null;

  @Field(() => BatchRowError, { nullable: true, description: 'Why it failed, if it did.' })
  error: BatchRowError | null;
}

@ObjectType({ simpleResolvers: true, description: 'A batch of issuances. It is stored with its results for 30 days.' })
export class Batch {
  @Field(() => String, { name: 'jobId', simple: false, description: 'Its id.' })
  _id: string;

  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => OnDuplicate, { description: 'What to do when the holder has a live credential of this kind.' })
  onDuplicate: OnDuplicate;

  @Field(() => Boolean, { description: 'Whether rows are only checked.' })
  dryRun: boolean;

  @Field(() => BatchState, { description: 'Its state.' })
  state: BatchState;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it finished.' })
  finishedAt: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'A batch in a list; `batch` has its progress and rows.' })
export class BatchSummary {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;

  @Field(() => String, { description: 'Id of the partner.' })
  partnerId: string;

  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => Boolean, { description: 'Whether rows are only checked.' })
  dryRun: boolean;

  @Field(() => BatchState, { description: 'Its state.' })
  state: BatchState;

  @Field(() => Int, { description: 'How many rows it has.' })
  total: number;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it finished.' })
  finishedAt: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Response of issueOnBehalfBatch, retryBatch and cancelBatch.' })
export class BatchPayload {
  @Field(() => Batch, { description: 'The batch.' })
  job: Batch;
}
