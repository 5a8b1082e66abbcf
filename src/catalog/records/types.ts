// The catalog's GraphQL object types, with the fields that services return. Relations are in the resolvers.
import { Field, Int, ObjectType } from 'type-graphql';
import { Node } from '../../graphql/shapes/relay.js';
import { DateTimeScalar, JsonScalar, SafeIntScalar } from '../../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'One data point of a credential: a field that the issuer attests.' })
export class DataPoint {
  @Field(() => String, { description: 'Title for people.' })
  title: string;

  @Field(() => String, { description: 'Data type of the field.' })
  type: string;

  @Field(() => String, { description: 'Field name relative to `credentialSubject`, with dots when nested.' })
  name: string;

  @Field(() => Boolean, { description: 'Whether every credential has it.' })
  isRequired: boolean;

  @Field(() => String, { description: 'What the field means.' })
  description: string;
}

@ObjectType({ simpleResolvers: true, description: 'How much a credential is held, issued, verified and requested.' })
export class CredentialTraction {
  @Field(() => SafeIntScalar, { description: 'Unique holders.' })
  holderCount: number;

  @Field(() => SafeIntScalar, { description: 'How many were issued.' })
  issuanceCount: number;

  @Field(() => SafeIntScalar, { description: 'Compliant verifications.' })
  verificationCount: number;

  @Field(() => Int, { description: 'Programs that accept the credential.' })
  demandCount: number;

  /** `tractionEntry` of the entry. */
  entry: string;
}

@ObjectType({ simpleResolvers: true, description: "How much an issuer's credentials are held, issued and verified." })
export class IssuerTraction {
  @Field(() => SafeIntScalar, { description: 'Unique holders over all credentials of the issuer.' })
  holderCount: number;

  @Field(() => SafeIntScalar, { description: 'How many were issued.' })
  issuanceCount: number;

  @Field(() => SafeIntScalar, { description: 'Compliant verifications.' })
  verificationCount: number;
}

@ObjectType({ simpleResolvers: true, description: 'How much a program is used.' })
export class ProgramTraction {
  @Field(() => SafeIntScalar, { description: 'Compliant verifications.' })
  verificationCount: number;

  @Field(() => SafeIntScalar, { description: 'Distinct verified holders.' })
  verifiedHolderCount: number;

  /** `tractionEntry` of the entry. */
  entry: string;
}

@ObjectType({
  simpleResolvers: true,
  implements: Node,
  description: 'A kind of credential, which one issuer issues under one schema.',
})
export class Credential extends Node {
  readonly __typename: 'Credential';

  @Field(() => String, { description: "The credential's own id." })
  credentialId: string;

  @Field(() => String, { description: 'Name of the credential.' })
  name: string;

  @Field(() => String, { description: 'Category label.' })
  category: string;

  @Field(() => Int, { description: 'Version of the schema that the credential is issued under, from 1.' })
  schemaVersion: number;

  @Field(() => CredentialTraction, { description: 'Its counts.' })
  traction: CredentialTraction;

  @Field(() => DateTimeScalar, { description: 'When the credential entered the catalog.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When issuing it begins; null: no beginning.',
  })
  accessibleStart: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When issuing it ends; null: no end.',
  })
  accessibleEnd: Date | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds for which an issued credential is valid; null: it never expires.',
  })
  expirationDuration: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was first issued; null: never.' })
  firstIssuedAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last issued; null: never.' })
  lastIssuedAt: Date | null;

  @Field(() => Boolean, { description: 'Whether it comes with a compliance access key.' })
  cak: boolean;

  issuerId: string;
  schemaId: string;
  provable: boolean | null;
}

@ObjectType({ simpleResolvers: true, implements: Node, description: 'An organisation that issues credentials.' })
export class Issuer extends Node {
  readonly __typename: 'Issuer';

  @Field(() => String, { description: "The issuer's own id." })
  issuerId: string;

  @Field(() => String, { description: 'Name of the issuer.' })
  name: string;

  @Field(() => String, { description: 'Decentralized identifier that signs its credentials.' })
  issuerDid: string;

  @Field(() => String, { description: 'The kind of issuer, such as "education".' })
  issuerFrom: string;

  @Field(() => IssuerTraction, { description: 'Its counts.' })
  traction: IssuerTraction;

  @Field(() => DateTimeScalar, { description: 'When the issuer entered the catalog.' })
  createdAt: Date;

  credentialCount: number;
  hasZkKeys: boolean;
}

@ObjectType({
  simpleResolvers: true,
  implements: Node,
  description: 'An organisation that runs verification programs.',
})
export class Verifier extends Node {
  readonly __typename: 'Verifier';

  @Field(() => String, { description: "The verifier's own id." })
  verifierId: string;

  @Field(() => String, { description: 'Name of the verifier.' })
  name: string;

  @Field(() => String, { description: 'Decentralized identifier of the verifier.' })
  verifierDid: string;

  @Field(() => DateTimeScalar, { description: 'When the verifier entered the catalog.' })
  createdAt: Date;

  programCount: number;
}

@ObjectType({
  simpleResolvers: true,
  implements: Node,
  description: 'The list of data points that credentials are built on.',
})
export class Schema extends Node {
  readonly __typename: 'Schema';

  @Field(() => String, { description: "The schema's own id." })
  schemaId: string;

  @Field(() => String, { description: 'Title of the schema.' })
  title: string;

  @Field(() => String, { description: 'What credentials of this schema state.' })
  description: string;

  @Field(() => Int, { description: 'Version that new credentials use, from 1.' })
  version: number;

  @Field(() => Int, { description: 'Credentials built on it.' })
  credentialCount: number;

  @Field(() => Int, { description: 'Issuers that have credentials on it.' })
  issuerCount: number;

  @Field(() => DateTimeScalar, { description: 'When the schema entered the catalog.' })
  createdAt: Date;
}

@ObjectType({
  simpleResolvers: true,
  implements: Node,
  description: 'A verification program: what its verifier accepts, and under which conditions.',
})
export class Program extends Node {
  readonly __typename: 'Program';

  @Field(() => String, { description: "The program's own id." })
  programId: string;

  @Field(() => String, { description: 'Name of the program.' })
  name: string;

  @Field(() => String, { description: 'What the program is for.' })
  description: string;

  @Field(() => Int, { description: 'How many credentials it accepts.' })
  credentialCount: number;

  @Field(() => ProgramTraction, { description: 'Its counts.' })
  traction: ProgramTraction;

  @Field(() => String, { description: 'Pricing model label.' })
  pricingModel: string;

  @Field(() => DateTimeScalar, { description: 'When the program entered the catalog.' })
  createdAt: Date;

  verifierId: string;
}

@ObjectType({ simpleResolvers: true, description: 'A program that one credential alone can meet.' })
export class ProgramOpening {
  @Field(() => Program, { description: 'Id of the program.' })
  program: Program;

  @Field(() => Boolean, { description: 'Whether it has no conditions on values.' })
  unconditional: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A credential that a program accepts, and the conditions on it.' })
export class AcceptedCredential {
  @Field(() => Credential, { description: 'The accepted credential.' })
  credential: Credential;

  @Field(() => [String], { description: 'The conditions as written; all of them must hold.' })
  verificationConditions: string[];

  @Field(() => [VerificationCondition], {
    nullable: true,
    description: 'The same conditions, parsed, in the same order; null if they do not parse.',
  })
  conditions: VerificationCondition[] | null;
}

@ObjectType({ simpleResolvers: true, description: 'A condition of a program that cannot be proven.' })
export class UnprovableCondition {
  @Field(() => String, { description: 'Which accepted credential.' })
  credentialId: string;

  @Field(() => String, {
    nullable: true,
    description: 'Which condition; null: nothing of the credential can be proven.',
  })
  condition: string | null;

  @Field(() => String, {
    description:
      'order, type, missing, contradiction, ranges, inequalities, lists, unparsed, points, off (the credential is not provable), or keys (its issuer has none).',
  })
  why: string;
}

@ObjectType({ simpleResolvers: true, description: 'One parsed verification condition: field, operator and values.' })
export class VerificationCondition {
  @Field(() => String, { description: 'The data point that it is about, with dots when nested.' })
  field: string;

  @Field(() => String, { description: 'Comparison operator.' })
  operator: string;

  @Field(() => [JsonScalar], { description: 'The values that it compares with: texts, numbers, true or false.' })
  values: (string | number | boolean)[];
}
