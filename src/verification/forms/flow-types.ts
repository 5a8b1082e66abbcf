// GraphQL types of the verification flow: the same fields as REST (contract §14, §16).
import { ArgsType, Extensions, Field, InputType, Int, ObjectType } from 'type-graphql';
import { AnchorInfo } from '../../chain/types.js';
import { JsonScalar } from '../../graphql/shapes/scalars.js';

@InputType({ description: 'A verification to start.' })
export class StartVerificationInput {
  @Field(() => String, { description: 'The program.' })
  programId: string;

  @Field(() => String, {
    nullable: true,
    description: 'userId of the holder; default: the first holder to fetch the request.',
  })
  userId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where the holder goes afterwards; its origin must be one of allowedOrigins.',
  })
  redirectUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'For 24 hours, the same key gets the first response again.' })
  idempotencyKey?: string | null;
}

@InputType({ description: "A holder's answer: a proof with its claim and opening, or that there is none." })
export class AnswerVerificationInput {
  @Field(() => String, { description: 'Which verification.' })
  verificationId: string;

  @Field(() => String, { nullable: true, description: 'Hash of the proved claim; required with presentation.' })
  coreClaimHash?: string | null;

  @Field(() => String, { nullable: true, description: 'The proof.' })
  presentation?: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The secret that opens the presentation's commitment: 32 bytes, base64url.",
  })
  opening?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'For a program with `cak`: whether the verifier may have the compliance access key.',
  })
  cakConsent?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: the holder cannot give a proof.' })
  cannot?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: the holder declines to give a proof.' })
  declined?: boolean | null;
}

@InputType({ description: 'A proof to check.' })
export class CheckProofInput {
  @Field(() => String, { description: 'A presentation.' })
  zkProof: string;
}

@ArgsType()
export class VerificationArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 25.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
  after?: string | null;

  @Field(() => String, { nullable: true, description: 'Only of this program.' })
  programId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only those with this status.' })
  status?: string | null;
}

@ObjectType('VerificationResult', {
  simpleResolvers: true,
  description: 'The result of a verification, in the form of client SDKs.',
})
export class VerificationResultType {
  @Field(() => String, { description: 'Compliant, Non-Compliant, Pending, Revoking, Revoked, Expired or NotFound.' })
  status: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The proof by credentialId; only if Compliant. Empty once the proof is deleted.',
  })
  zkProofs?: Record<string, string> | null;

  @Field(() => String, { nullable: true, description: 'The transaction that anchored the proof; only if Compliant.' })
  transactionHash?: string | null;
}

@ObjectType('Verification', {
  simpleResolvers: true,
  description: 'A verification. Its partner sees all fields, its holder only `result` and `reason`.',
})
export class VerificationType {
  @Field(() => String, { nullable: true, description: 'Its id.' })
  verificationId: string | null;

  @Field(() => String, { nullable: true, description: 'The program.' })
  programId: string | null;

  @Field(() => String, { nullable: true, description: 'The version of the program that was pinned at the start.' })
  programVersion: string | null;

  @Field(() => String, { nullable: true, description: 'open, proved or closed.' })
  state: string | null;

  @Field(() => VerificationResultType, { description: 'Its current result.' })
  result: VerificationResultType;

  @Field(() => String, { nullable: true, description: 'Why, if the status alone does not say it.' })
  reason: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the proven credential.' })
  credentialId: string | null;

  @Field(() => String, { nullable: true, description: "SHA-256 of the presentation's text, 64 hex digits." })
  proofSha256: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The same whenever this holder uses this program, and unlinkable between programs; 64 hex digits.',
  })
  nullifier: string | null;

  @Field(() => String, { nullable: true, description: 'The current status of a verification that was Compliant.' })
  current: string | null;

  @Field(() => String, { nullable: true, description: 'Compact JWS of the closed record, typ verification+jwt.' })
  receipt: string | null;

  @Field(() => AnchorInfo, { nullable: true, description: 'The anchor of its proof on the chain.' })
  anchor: AnchorInfo | null;

  @Field(() => String, { nullable: true, description: 'Where the holder goes afterwards.' })
  redirectUrl: string | null;

  @Field(() => Date, { nullable: true, description: 'When it was started.' })
  createdAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was closed.' })
  decidedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the time to answer ends.' })
  expiresAt: Date | null;
}

@ObjectType({ simpleResolvers: true, description: 'Response of startVerification.' })
export class StartVerificationPayload {
  @Field(() => VerificationType, { description: 'The verification.' })
  verification: VerificationType;

  @Field(() => Boolean, { description: 'False: the holder already had this one, not answered yet.' })
  isNew: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'Response of answerVerification.' })
export class AnswerVerificationPayload {
  @Field(() => VerificationResultType, { description: 'Its current result.' })
  result: VerificationResultType;
}

@ObjectType({ simpleResolvers: true, description: 'What a presentation says, and whether its proof is valid.' })
export class CheckProofPayload {
  @Field(() => Boolean, {
    description: 'Whether the proof is mathematically correct; whether it counts is in the record and the receipt.',
  })
  valid: boolean;

  @Field(() => String, { description: 'Id of the partner that started the verification.' })
  partnerId: string;

  @Field(() => String, { description: 'The verification.' })
  verificationId: string;

  @Field(() => String, { description: 'The program.' })
  programId: string;

  @Field(() => String, { description: 'Its version.' })
  programVersion: string;

  @Field(() => String, { description: 'The credential.' })
  credentialId: string;

  @Field(() => Date, { description: 'The time from which its relative dates count.' })
  now: Date;
}

@ObjectType({ simpleResolvers: true, description: 'The program, and whose it is.' })
export class VerificationProgram {
  @Field(() => String, { description: 'Name of the program.' })
  name: string;

  @Field(() => String, { description: 'Name of the verifier.' })
  verifierName: string;

  @Field(() => String, { description: 'Decentralized identifier of the verifier.' })
  verifierDid: string;

  @Field(() => Boolean, { description: 'Whether it also asks for the compliance access key.' })
  cak: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What must be proven about an accepted credential.' })
export class AcceptedProof {
  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => JsonScalar, { description: "Its conditions in normal form, at the challenge's `now`." })
  conditions: unknown;

  @Field(() => JsonScalar, { description: 'Accumulators of the conditions with lists.' })
  accumulators: unknown;
}

@ObjectType({ simpleResolvers: true, description: 'A claim of the holder that may answer.' })
export class VerificationCandidate {
  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => String, { description: 'Hash of the claim.' })
  coreClaimHash: string;

  @Field(() => Int, { description: 'The schema version that it was issued under.' })
  schemaVersion: number;

  @Field(() => String, { description: 'Where it is stored.' })
  storagePath: string;

  @Field(() => String, { description: 'Its status.' })
  vcStatus: string;

  @Field(() => Boolean, { description: 'Whether the conditions can be proven of this claim.' })
  provable: boolean;

  @Field(() => String, { nullable: true, description: 'If not provable: missing, type, points, issuer or conditions.' })
  why?: string | null;
}

/** Credentials that a program accepts, and claims that are told, at most. */
const MAX_ROWS = 100;

@ObjectType('VerificationRequest', { simpleResolvers: true, description: 'What a holder is asked.' })
export class VerificationRequestType {
  @Field(() => JsonScalar, { description: 'What the proof is bound to, and until when it can be sent.' })
  challenge: unknown;

  @Field(() => String, { nullable: true, description: 'Where the holder goes afterwards.' })
  redirectUrl: string | null;

  @Field(() => VerificationProgram, { description: 'The program.' })
  program: VerificationProgram;

  @Extensions({ size: MAX_ROWS })
  @Field(() => [AcceptedProof], { description: 'What is accepted; any one of them is enough.' })
  accepted: AcceptedProof[];

  @Extensions({ size: MAX_ROWS })
  @Field(() => [VerificationCandidate], {
    description: "The holder's own claims of these credentials, live ones first.",
  })
  candidates: VerificationCandidate[];
}

@ObjectType({ simpleResolvers: true, description: 'What a program asks of a credential.' })
export class ProofRequestCredential extends AcceptedProof {
  @Field(() => String, { description: 'Id of its issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'DID of its issuer.' })
  issuerDid: string;
}

@ObjectType('ProofRequest', { simpleResolvers: true, description: 'What a program version asks for at a given time.' })
export class ProofRequestType {
  @Field(() => String, { description: 'The program.' })
  programId: string;

  @Field(() => String, { description: 'Its version.' })
  programVersion: string;

  @Field(() => Date, { description: 'The time from which relative dates count.' })
  now: Date;

  @Extensions({ size: MAX_ROWS })
  @Field(() => [ProofRequestCredential], { description: 'What is accepted.' })
  accepted: ProofRequestCredential[];
}
