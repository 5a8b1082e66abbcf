// GraphQL types of explanations.
import { ArgsType, Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import {
  ALL_PARTNER_OPERATIONS,
  type PartnerOperation as Operation,
  partnerOperation,
} from '../base/callers/partner-operations.js';

export enum RuleVerdict {
  ALLOWED = 'ALLOWED',
  FORBIDDEN = 'FORBIDDEN',
  UNKNOWN = 'UNKNOWN',
}
registerEnumType(RuleVerdict, {
  name: 'RuleVerdict',
  description: 'The verdict of a rule.',
  valuesConfig: {
    ALLOWED: { description: 'It allows the operation.' },
    FORBIDDEN: { description: 'It forbids the operation.' },
    UNKNOWN: { description: 'A fact is missing, so it could not be checked.' },
  },
});

const nameOf = (operation: Operation): string => operation.replace(/[A-Z]/g, '_$&').toUpperCase();

export const PartnerOperation: Readonly<Record<string, Operation>> = Object.fromEntries(
  ALL_PARTNER_OPERATIONS.map((operation) => [nameOf(operation), operation]),
);
registerEnumType(PartnerOperation, {
  name: 'PartnerOperation',
  description: 'An operation of a partner.',
  valuesConfig: Object.fromEntries(
    ALL_PARTNER_OPERATIONS.map((operation) => [nameOf(operation), { description: partnerOperation(operation).does }]),
  ),
});

@ObjectType({ simpleResolvers: true, description: 'The verdict of one rule about an operation.' })
export class RuleCheck {
  @Field(() => String, { description: 'Its name, such as `partner.issueOnBehalf`.' })
  rule: string;

  @Field(() => RuleVerdict, { description: 'Its verdict.' })
  verdict: RuleVerdict;

  @Field(() => String, { description: 'The verdict as a sentence for a person.' })
  sentence: string;

  @Field(() => String, { nullable: true, description: 'How to fix it; null if the operation is allowed.' })
  mend: string | null;
}

@ObjectType('WhyAnswer', { simpleResolvers: true, description: 'What allows or forbids an operation of a partner.' })
export class WhyAnswerType {
  @Field(() => PartnerOperation, { description: 'The operation.' })
  operation: Operation;

  @Field(() => ID, { nullable: true, description: 'The partner; null when the token names none.' })
  partnerId: string | null;

  @Field(() => [RuleCheck], { description: 'The rules, in the order in which the gateway enforces them.' })
  checks: RuleCheck[];

  @Field(() => RuleVerdict, {
    description: 'FORBIDDEN if any rule forbids it, else UNKNOWN if any could not be checked, else ALLOWED.',
  })
  verdict: RuleVerdict;

  @Field(() => String, { description: 'The verdict as a sentence for a person.' })
  sentence: string;
}

@ArgsType()
export class WhyArgs {
  @Field(() => PartnerOperation, { description: 'The operation.' })
  operation: Operation;

  @Field(() => String, { nullable: true, description: 'A token of the partner, valid or not; send it as a variable.' })
  token?: string | null;

  @Field(() => ID, { nullable: true, description: 'The partner; without token and partnerId, the caller.' })
  partnerId?: string | null;

  @Field(() => String, { nullable: true, description: 'The issuer that the operation is for.' })
  issuerDid?: string | null;

  @Field(() => String, { nullable: true, description: 'The credential that the operation is for.' })
  credentialId?: string | null;

  @Field(() => String, { nullable: true, description: 'The schema, for the CAK of a holder.' })
  schemaId?: string | null;

  @Field(() => String, { nullable: true, description: 'The holder that the operation is about.' })
  userId?: string | null;

  @Field(() => String, { nullable: true, description: 'The issuance to revoke.' })
  coreClaimHash?: string | null;

  @Field(() => String, { nullable: true, description: 'The program to start.' })
  programId?: string | null;

  @Field(() => String, { nullable: true, description: 'Where the holder is sent back to after a verification.' })
  redirectUrl?: string | null;
}
