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
  description: 'Where a batch is.',
  valuesConfig: {
    RUNNING: { description: 'Rows wait or are under way.' },
    FINISHED: { description: 'Every row has a result; failed ones can be retried.' },
    CANCELLING: { description: 'What waits is being erased.' },
    CANCELLED: { description: 'Given up for good; what was issued stays issued.' },
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
  description: 'What became of a row.',
  valuesConfig: {
    WAITING: { description: 'Not done yet; its content is sealed.' },
    ISSUED: { description: 'Issued, or answered by a live credential; its content is erased.' },
    CHECKED: { description: 'Fits, says the dry run; its content is erased.' },
    FAILED: { description: 'Refused; its content stays sealed for a retry.' },
    CANCELLED: { description: 'Given up; its content is erased.' },
  },
});

@InputType({ description: 'One recipient of a batch.' })
export class BatchRowInput {
  @Field(() => String, {
    description:
      'Names the row in its batch, at most 255 characters: a line number or an id of yours, nothing personal.',
  })
  rowKey: string;

  @Field(() => String, { nullable: true, description: 'The recipient by e-mail.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'The recipient by userId.' })
  userId?: string | null;

  @Field(() => JsonScalar, { description: "Its content: an object that fits the schema's data points." })
  credentialSubject: unknown;

  @Field(() => Date, { nullable: true, description: "When it expires; by the credential's duration when not given." })
  expiresAt?: Date | null;
}

@InputType({ description: 'Many credentials of one kind to issue for a managed issuer.' })
export class IssueOnBehalfBatchInput {
  @Field(() => String, { description: 'DID of the managed issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => OnDuplicate, { nullable: true, description: 'What to do with a live one; REVOKE when not given.' })
  onDuplicate?: OnDuplicate | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Only check every row; nothing is issued. False when not given.',
  })
  dryRun?: boolean | null;

  @Field(() => [BatchRowInput], { description: '1 to 10,000 rows, each with a key of its own.' })
  rows: BatchRowInput[];

  @Field(() => String, { nullable: true, description: 'The first answer to this key is given again for 24 hours.' })
  idempotencyKey?: string | null;
}

@InputType({ description: 'A batch.' })
export class BatchInput {
  @Field(() => String, { description: 'Which one.' })
  jobId: string;
}

@ObjectType({ simpleResolvers: true, description: 'How many rows of a batch are in which state, at this moment.' })
export class BatchProgress {
  @Field(() => Int, { description: 'All rows.' })
  total: number;

  @Field(() => Int, { description: 'Not done yet.' })
  waiting: number;

  @Field(() => Int, { description: 'Issued.' })
  issued: number;

  @Field(() => Int, { description: 'Found to fit by a dry run.' })
  checked: number;

  @Field(() => Int, { description: 'Refused.' })
  failed: number;

  @Field(() => Int, { description: 'Given up.' })
  cancelled: number;
}

@ObjectType({ simpleResolvers: true, description: 'Why a row failed.' })
export class BatchRowError {
  @Field(() => String, { description: 'The code that issueOnBehalf would have answered.' })
  code: string;

  @Field(() => String, { nullable: true, description: 'A sentence for a person; null once the batch was cancelled.' })
  message: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What became of a row of a batch.' })
export class BatchRow {
  @Field(() => String, { description: 'The key that its batch gave it.' })
  rowKey: string;

  @Field(() => BatchRowState, { description: 'Where it is.' })
  state: BatchRowState;

  @Field(() => String, { nullable: true, description: 'Hash of the claim, 64 hex digits, once issued.' })
  coreClaimHash: string | null;

  @Field(() => String, { nullable: true, description: 'userId of the holder, once issued.' })
  userUuid: string | null;

  @Field(() => BatchRowError, { nullable: true, description: 'Why it failed, if it did.' })
  error: BatchRowError | null;
}

@ObjectType({ simpleResolvers: true, description: 'A batch of issuance. It and its results are kept for 30 days.' })
export class Batch {
  @Field(() => String, { name: 'jobId', simple: false, description: 'Its id.' })
  _id: string;

  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => OnDuplicate, { description: 'What happens with a live one.' })
  onDuplicate: OnDuplicate;

  @Field(() => Boolean, { description: 'Whether rows are only checked.' })
  dryRun: boolean;

  @Field(() => BatchState, { description: 'Where it is.' })
  state: BatchState;

  @Field(() => Date, { description: 'When it was made.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it ended.' })
  finishedAt: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Answer of issueOnBehalfBatch, retryBatch and cancelBatch.' })
export class BatchPayload {
  @Field(() => Batch, { description: 'The batch.' })
  job: Batch;
}
