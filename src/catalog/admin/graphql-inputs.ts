// GraphQL inputs and payloads of the operator's mutations: the same bodies as REST's PUT (contract §7).
import { type ClassType, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar, JsonScalar } from '../../graphql/shapes/scalars.js';
import { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';

export enum PutOutcomeName {
  CREATED = 'created',
  UPDATED = 'updated',
  UNCHANGED = 'unchanged',
}

registerEnumType(PutOutcomeName, {
  name: 'PutResult',
  description: 'The result of writing an entry.',
  valuesConfig: {
    CREATED: { description: 'There was no such entry, or it had been retired.' },
    UPDATED: { description: 'The entry was replaced.' },
    UNCHANGED: { description: 'The entry already had this content; nothing was written.' },
  },
});

@InputType({ description: 'The state that an entry must still have.' })
abstract class Matched {
  @Field(() => String, {
    nullable: true,
    description: 'Write only if the entry still has this etag; `*`: only if it exists.',
  })
  ifMatch?: string | null;
}

@InputType({ description: 'A BBS key that a self-signing issuer signs provable credentials with.' })
export class ZkKeyInput {
  @Field(() => String, { description: 'Its name, which always stands for this key.' })
  kid: string;

  @Field(() => String, { description: 'z-base58 of 0xeb01 and the 96 bytes of the key.' })
  publicKeyMultibase: string;
}

@InputType({ description: 'The new content of an issuer; replaces the whole entry.' })
export class PutIssuerInput extends Matched {
  @Field(() => String, { description: 'Id of the issuer: 1 to 500 printable characters without white space.' })
  issuerId: string;

  @Field(() => String, { description: 'Name of the issuer.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'Decentralized identifier that it signs with; no other issuer may have it. Left out when managed.',
  })
  issuerDid?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: the gateway creates and holds its keys, from which its DID is derived.',
  })
  managed?: boolean | null;

  @Field(() => String, { description: 'The kind of issuer, such as "education".' })
  issuerFrom: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its https endpoint that lists the credentials a holder can get.',
  })
  availableVcUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Its https endpoint that issues a credential.' })
  issueVcUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Sent to its endpoints as x-api-key; never returned. Left out: unchanged, but removed for an endpoint at a new origin; null: removed.',
  })
  apiKey?: string | null;

  @Field(() => [ZkKeyInput], {
    nullable: true,
    description: 'BBS keys of an issuer that signs for itself; keys that are left out are removed.',
  })
  zkKeys?: ZkKeyInput[] | null;
}

@InputType({ description: 'The new content of a verifier; replaces the whole entry.' })
export class PutVerifierInput extends Matched {
  @Field(() => String, { description: 'Id of the verifier: 1 to 500 printable characters without white space.' })
  verifierId: string;

  @Field(() => String, { description: 'Name of the verifier.' })
  name: string;

  @Field(() => String, { description: 'Decentralized identifier of the verifier; no other verifier may have it.' })
  verifierDid: string;
}

@InputType({ description: 'One data point of a schema.' })
export class DataPointInput {
  @Field(() => String, { description: 'Field name relative to `credentialSubject`, with dots when nested.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Title for people; default: the name.' })
  title?: string | null;

  @Field(() => String, { description: 'Data type of the field.' })
  type: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether every credential must have it.' })
  isRequired: boolean;

  @Field(() => String, { defaultValue: '', description: 'What the field means.' })
  description: string;
}

@InputType({
  description:
    'The new content of a schema: a JSON Schema document, or title, description and data points. Different content becomes a new version.',
})
export class PutSchemaInput extends Matched {
  @Field(() => String, { description: 'Id of the schema: 1 to 500 printable characters without white space.' })
  schemaId: string;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'A JSON Schema document of the credential, stored unchanged.',
  })
  jsonSchema?: unknown;

  @Field(() => String, { nullable: true, description: 'Title of the schema.' })
  title?: string | null;

  @Field(() => String, { nullable: true, description: 'What credentials of this schema state.' })
  description?: string | null;

  @Field(() => [DataPointInput], { nullable: true, description: 'The fields that an issuer attests.' })
  dataPoints?: DataPointInput[] | null;
}

@InputType({ description: 'The new content of a credential; replaces the whole entry.' })
export class PutCredentialInput extends Matched {
  @Field(() => String, { description: 'Id of the credential: 1 to 500 printable characters without white space.' })
  credentialId: string;

  @Field(() => String, { description: 'Name of the credential.' })
  name: string;

  @Field(() => String, { description: 'Category label.' })
  category: string;

  @Field(() => String, { description: 'Its issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'The schema it is built on; a new credential uses its current version.' })
  schemaId: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When issuing it begins.' })
  accessibleStart?: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When issuing it ends.' })
  accessibleEnd?: Date | null;

  @Field(() => Int, { nullable: true, description: 'Seconds for which a credential is valid; null: it never expires.' })
  expirationDuration?: number | null;

  @Field(() => Int, { nullable: true, description: 'How many may be issued; null: any number.' })
  maximumIssuance?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether it is signed so that conditions on it can be proven; null: if its schema has at most 64 data points.',
  })
  provable?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Comes with a compliance access key; false when left out.' })
  cak?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'True: accept broken conditions of live programs.' })
  force?: boolean | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it was created; default: unchanged, or now for a new entry.',
  })
  createdAt?: Date | null;
}

@InputType({ description: 'A credential that a program accepts.' })
export class AcceptedCredentialInput {
  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => [String], { description: 'Conditions that must all hold, such as `age >= 18`.' })
  verificationConditions: string[];
}

@InputType({ description: 'The new content of a program; replaces the whole entry.' })
export class PutProgramInput extends Matched {
  @Field(() => String, { description: 'Id of the program: 1 to 500 printable characters without white space.' })
  programId: string;

  @Field(() => String, { description: 'Name of the program.' })
  name: string;

  @Field(() => String, { description: 'What the program is for.' })
  description: string;

  @Field(() => String, { description: 'Its verifier.' })
  verifierId: string;

  @Field(() => [AcceptedCredentialInput], { description: 'The credentials it accepts: any one of them is enough.' })
  acceptedCredentials: AcceptedCredentialInput[];

  @Field(() => String, { description: 'Pricing model label.' })
  pricingModel: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How many Compliant verifications one holder may have; default: any number.',
  })
  maxPerHolder?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it also asks for the compliance access key, which all its credentials must have.',
  })
  cak?: boolean | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it was created; default: unchanged, or now for a new entry.',
  })
  createdAt?: Date | null;
}

@InputType({ description: 'Which issuer to retire.' })
export class RetireIssuerInput extends Matched {
  @Field(() => String, { description: 'Id of the issuer.' })
  issuerId: string;
}

@InputType({ description: 'Which verifier to retire.' })
export class RetireVerifierInput extends Matched {
  @Field(() => String, { description: 'Id of the verifier.' })
  verifierId: string;
}

@InputType({ description: 'Which schema to retire.' })
export class RetireSchemaInput extends Matched {
  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;
}

@InputType({ description: 'Which credential to retire.' })
export class RetireCredentialInput extends Matched {
  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;
}

@InputType({ description: 'Which program to retire.' })
export class RetireProgramInput extends Matched {
  @Field(() => String, { description: 'Id of the program.' })
  programId: string;
}

@ObjectType({ simpleResolvers: true, description: 'The retired entry.' })
export class RetirePayload {
  @Field(() => String, { description: 'Id of the retired entry, which lists and look-ups no longer include.' })
  retiredId: string;
}

/** The payload type of one kind's put mutation: the entry under its kind's name, such as `{issuer, result, etag}`. */
function putPayload<T extends object>(typeName: string, node: () => ClassType<T>) {
  @ObjectType(`Put${typeName}Payload`, {
    simpleResolvers: true,
    description: `The ${typeName.toLowerCase()} after the call.`,
  })
  class Payload {
    // The name is passed on its own, because a class cannot compute the names of its members.
    @Field(() => node(), { name: typeName.toLowerCase(), description: 'The entry.' })
    entry: T;

    @Field(() => PutOutcomeName, { description: 'The result of the call.' })
    result: PutOutcomeName;

    @Field(() => String, { description: 'Changes with every content change; for `ifMatch`.' })
    etag: string;
  }
  return Payload;
}

export const PutIssuerPayload = putPayload('Issuer', () => Issuer);
export const PutVerifierPayload = putPayload('Verifier', () => Verifier);
export const PutSchemaPayload = putPayload('Schema', () => Schema);
export const PutCredentialPayload = putPayload('Credential', () => Credential);
export const PutProgramPayload = putPayload('Program', () => Program);
