// GraphQL types of partners: the operator's view of a record, the input that writes it, and the caller.
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar, JsonScalar } from '../graphql/shapes/scalars.js';
import { GasPolicyInput, GasPolicyType } from './gas-policy-types.js';

export enum PartnerScope {
  ISSUE = 'issue',
  VERIFY = 'verify',
}
registerEnumType(PartnerScope, {
  name: 'PartnerScope',
  description: 'What a partner token allows.',
  valuesConfig: {
    ISSUE: { description: 'Resolving recipients, storing and issuing credentials.' },
    VERIFY: { description: 'Starting verifications and checking proofs.' },
  },
});

export enum CallerKind {
  ANONYMOUS = 'anonymous',
  PARTNER = 'partner',
  HOLDER = 'holder',
  OPERATOR = 'operator',
}
registerEnumType(CallerKind, {
  name: 'CallerKind',
  description: 'The four kinds of callers.',
  valuesConfig: {
    ANONYMOUS: { description: 'A request without credentials.' },
    PARTNER: { description: 'A partner, with its token in x-partner-auth.' },
    HOLDER: { description: 'A holder, with a session token in authorization.' },
    OPERATOR: { description: 'The operator, with the key in x-admin-api-key.' },
  },
});

export enum PartnerPutResult {
  CREATED = 'created',
  UPDATED = 'updated',
  UNCHANGED = 'unchanged',
}
registerEnumType(PartnerPutResult, {
  name: 'PartnerPutResult',
  description: 'The result of writing a partner.',
  valuesConfig: {
    CREATED: { description: 'There was no such partner, or it had been retired.' },
    UPDATED: { description: 'The partner was replaced.' },
    UNCHANGED: { description: 'The partner already had this content; nothing was written.' },
  },
});

@ObjectType({
  simpleResolvers: true,
  description: 'The caller, as the credentials of this request identify it.',
})
export class WhoAmI {
  @Field(() => CallerKind, { description: 'Kind of caller.' })
  kind: CallerKind;

  @Field(() => String, { nullable: true, description: 'The partner, or the partner through which a holder logged in.' })
  partnerId?: string | null;

  @Field(() => String, { nullable: true, description: 'The holder, for a session token.' })
  holderId?: string | null;

  @Field(() => [PartnerScope], {
    nullable: true,
    description: 'Scopes of the token that the partner record also allows.',
  })
  scopes?: PartnerScope[] | null;

  @Field(() => String, { nullable: true, description: 'Id of the key that signed the partner token.' })
  kid?: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the token expires.' })
  expiresAt?: Date | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A partner: its keys, and what it may do. For the operator, and for the partner itself.',
})
export class Partner {
  @Field(() => String, { description: 'Id of the partner, a UUID.' })
  partnerId: string;

  @Field(() => String, { description: 'Name of the partner.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'URL of its published key set.' })
  jwksUri?: string | null;

  @Field(() => JsonScalar, { nullable: true, description: 'Its key set (RFC 7517), when it is not published.' })
  jwks?: object | null;

  @Field(() => [PartnerScope], { description: 'What its tokens allow.' })
  scopes: PartnerScope[];

  @Field(() => [String], { description: 'Issuers it may issue for.' })
  issuerDids: string[];

  @Field(() => Boolean, { description: 'Whether managed issuers may sign credentials for it.' })
  issueOnBehalf: boolean;

  @Field(() => [String], {
    description: 'Verifiers whose programs it may run; empty: all in the sandbox, none in production.',
  })
  verifierIds: string[];

  @Field(() => [String], { description: 'Origins whose pages may call with its tokens.' })
  allowedOrigins: string[];

  @Field(() => Boolean, { description: 'Whether its tokens must have the header typ.' })
  requireTyp: boolean;

  @Field(() => Boolean, {
    description:
      'Whether its tokens must have the claim scope. If not, a token without it has the scopes of the record.',
  })
  requireScope: boolean;

  @Field(() => GasPolicyType, { nullable: true, description: "How much of its holders' gas it pays for." })
  gasPolicy?: GasPolicyType | null;

  @Field(() => String, {
    nullable: true,
    description:
      'What is wrong with the key set at jwksUri: why it is refused, or cannot verify a token; null: nothing.',
  })
  keySetProblem?: string | null;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { description: 'When it was last changed.' })
  updatedAt: Date;

  @Field(() => String, { description: 'Changes with every change of content.' })
  etag: string;
}

@InputType({ description: 'The new content of a partner; replaces the whole record.' })
export class PutPartnerInput {
  @Field(() => String, { description: 'Id of the partner, a UUID.' })
  partnerId: string;

  @Field(() => String, { description: 'Name of the partner.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'https URL of its published key set; this or jwks.' })
  jwksUri?: string | null;

  @Field(() => JsonScalar, { nullable: true, description: 'Its key set (RFC 7517); this or jwksUri.' })
  jwks?: object | null;

  @Field(() => [PartnerScope], { description: 'What its tokens allow.' })
  scopes: PartnerScope[];

  @Field(() => [String], { nullable: true, description: 'Issuers it may issue for; default none.' })
  issuerDids?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether managed issuers may sign credentials for it; default false.',
  })
  issueOnBehalf?: boolean | null;

  @Field(() => [String], { nullable: true, description: 'Verifiers whose programs it may run; default: none.' })
  verifierIds?: string[] | null;

  @Field(() => [String], { nullable: true, description: 'Origins whose pages may call with its tokens; default none.' })
  allowedOrigins?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether its tokens must have the header typ; default true.' })
  requireTyp?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether its tokens must have the claim scope; default true.' })
  requireScope?: boolean | null;

  @Field(() => GasPolicyInput, {
    nullable: true,
    description: "How much of its holders' gas it pays for; what is left out has its default.",
  })
  gasPolicy?: GasPolicyInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'Write only if the record still has this etag; `*`: only if it exists.',
  })
  ifMatch?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of writing a partner.' })
export class PutPartnerPayload {
  @Field(() => Partner, { description: 'The partner after the call.' })
  partner: Partner;

  @Field(() => PartnerPutResult, { description: 'The result of the call.' })
  result: PartnerPutResult;

  @Field(() => String, { description: 'Changes with every change of content.' })
  etag: string;
}

@InputType({ description: 'Which partner to retire.' })
export class RetirePartnerInput {
  @Field(() => String, { description: 'Id of the partner.' })
  partnerId: string;

  @Field(() => String, {
    nullable: true,
    description: 'Write only if the record still has this etag; `*`: only if it exists.',
  })
  ifMatch?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A retired partner: its tokens are refused from now on.' })
export class RetirePartnerPayload {
  @Field(() => String, { description: 'Id of the retired partner.' })
  retiredId: string;
}
