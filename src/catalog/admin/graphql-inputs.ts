// GraphQL inputs and payloads of the operator's mutations: the same bodies as REST's PUT (contract §7).
import { type ClassType, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar, JsonScalar } from '../../graphql/shapes/scalars.js';
import { Credential, Issuer, Program, Schema, Verifier } from '../graphql/types.js';

export enum PutOutcomeName {
  CREATED = 'created',
  UPDATED = 'updated',
  UNCHANGED = 'unchanged',
}

registerEnumType(PutOutcomeName, {
  name: 'PutResult',
  description: 'What writing an entry did.',
  valuesConfig: {
    CREATED: { description: 'There was no such entry, or it had been retired.' },
    UPDATED: { description: 'The entry was replaced.' },
    UNCHANGED: { description: 'The entry was like that already; nothing was written.' },
  },
});

@InputType({ description: 'What an entry must still be like.' })
abstract class Matched {
  @Field(() => String, {
    nullable: true,
    description: 'Only if the entry still has this etag; `*`: only if it is there.',
  })
  ifMatch?: string | null;
}

@InputType({ description: 'An issuer as it shall be; replaces the whole entry.' })
export class PutIssuerInput extends Matched {
  @Field(() => String, { description: 'Id of the issuer: 1 to 500 printable characters without white space.' })
  issuerId: string;

  @Field(() => String, { description: 'Name of the issuer.' })
  name: string;

  @Field(() => String, {
    nullable: true,
    description: 'Decentralized identifier that it signs with; one issuer has it alone. Left out when managed.',
  })
  issuerDid?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: the gateway makes and holds its keys, and its DID follows from them.',
  })
  managed?: boolean | null;

  @Field(() => String, { description: 'Where the issuer comes from.' })
  issuerFrom: string;

  @Field(() => String, { nullable: true, description: 'Where it answers which credentials a holder can have (https).' })
  availableVcUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'Where it issues a credential when asked (https).' })
  issueVcUrl?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Sent to its endpoints as x-api-key; never answered. Left out: the one that is there stays; null: none.',
  })
  apiKey?: string | null;
}

@InputType({ description: 'A verifier as it shall be; replaces the whole entry.' })
export class PutVerifierInput extends Matched {
  @Field(() => String, { description: 'Id of the verifier: 1 to 500 printable characters without white space.' })
  verifierId: string;

  @Field(() => String, { description: 'Name of the verifier.' })
  name: string;

  @Field(() => String, { description: 'Decentralized identifier of the verifier; one verifier has it alone.' })
  verifierDid: string;
}

@InputType({ description: 'One data point of a schema.' })
export class DataPointInput {
  @Field(() => String, { description: 'Field name relative to `credentialSubject`, dotted when nested.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'Title for people; the name when left out.' })
  title?: string | null;

  @Field(() => String, { description: 'Data type of the field.' })
  type: string;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether every credential must carry it.' })
  isRequired: boolean;

  @Field(() => String, { defaultValue: '', description: 'What the field means.' })
  description: string;
}

@InputType({
  description:
    'A schema as it shall be: either a JSON Schema document, or title, description and data points. Other content makes a new version.',
})
export class PutSchemaInput extends Matched {
  @Field(() => String, { description: 'Id of the schema: 1 to 500 printable characters without white space.' })
  schemaId: string;

  @Field(() => JsonScalar, { nullable: true, description: 'A JSON Schema document of the credential, kept as it is.' })
  jsonSchema?: unknown;

  @Field(() => String, { nullable: true, description: 'Title of the schema.' })
  title?: string | null;

  @Field(() => String, { nullable: true, description: 'What credentials of this schema say.' })
  description?: string | null;

  @Field(() => [DataPointInput], { nullable: true, description: 'The fields that an issuer attests.' })
  dataPoints?: DataPointInput[] | null;
}

@InputType({ description: 'A credential as it shall be; replaces the whole entry.' })
export class PutCredentialInput extends Matched {
  @Field(() => String, { description: 'Id of the credential: 1 to 500 printable characters without white space.' })
  credentialId: string;

  @Field(() => String, { description: 'Name of the credential.' })
  name: string;

  @Field(() => String, { description: 'Category label.' })
  category: string;

  @Field(() => String, { description: 'Who issues it.' })
  issuerId: string;

  @Field(() => String, { description: 'What it is built on; a new credential takes the current version.' })
  schemaId: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'From when it can be issued.' })
  accessibleStart?: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Until when it can be issued.' })
  accessibleEnd?: Date | null;

  @Field(() => Int, { nullable: true, description: 'Seconds that an issued credential is valid for; null: for ever.' })
  expirationDuration?: number | null;

  @Field(() => Int, { nullable: true, description: 'How many may be issued; null: any number.' })
  maximumIssuance?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Signed so that conditions can be proven of it; null: when its schema has at most 64 data points.',
  })
  provable?: boolean | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Since when it exists; kept, or now, when left out.' })
  createdAt?: Date | null;
}

@InputType({ description: 'A credential that a program accepts.' })
export class AcceptedCredentialInput {
  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => [String], { description: 'Conditions that must all hold, such as `age >= 18`.' })
  verificationConditions: string[];
}

@InputType({ description: 'A program as it shall be; replaces the whole entry.' })
export class PutProgramInput extends Matched {
  @Field(() => String, { description: 'Id of the program: 1 to 500 printable characters without white space.' })
  programId: string;

  @Field(() => String, { description: 'Name of the program.' })
  name: string;

  @Field(() => String, { description: 'What the program is for.' })
  description: string;

  @Field(() => String, { description: 'Who runs it.' })
  verifierId: string;

  @Field(() => [AcceptedCredentialInput], { description: 'The credentials it accepts: any one of them is enough.' })
  acceptedCredentials: AcceptedCredentialInput[];

  @Field(() => String, { description: 'Pricing model label.' })
  pricingModel: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Since when it exists; kept, or now, when left out.' })
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

@ObjectType({ simpleResolvers: true, description: 'What was retired.' })
export class RetirePayload {
  @Field(() => String, { description: 'Id of the entry, which lists and look-ups no longer show.' })
  retiredId: string;
}

/** The payload type of one kind's put mutation: the entry under its kind's name, so that resolvers answer `{issuer, result, etag}`. */
function putPayload<T extends object>(typeName: string, node: () => ClassType<T>) {
  @ObjectType(`Put${typeName}Payload`, {
    simpleResolvers: true,
    description: `The ${typeName.toLowerCase()} as it is now.`,
  })
  class Payload {
    // The name is given apart: a class cannot compute the names of its members.
    @Field(() => node(), { name: typeName.toLowerCase(), description: 'The entry.' })
    entry: T;

    @Field(() => PutOutcomeName, { description: 'What the call did.' })
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
