// GraphQL types of stored packages: what a partner finds again of what it stored (contract §4.4).
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { TextFilter } from '../graphql/shapes/filters.js';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'A package that a partner stored, without its ciphertext.' })
export class StoredPackageMetadata {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'Its address: dstorage://vc/<id>.' })
  storagePath: string;

  @Field(() => String, { description: 'STORED.' })
  state: string;

  @Field(() => String, { description: "Version of the envelope's form." })
  envelopeVersion: string;

  @Field(() => String, { description: 'DID of the holder.' })
  holderDid: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { description: 'How it is proved.' })
  proofType: string;

  @Field(() => String, { nullable: true, description: "The partner's own id of it; null for what we issued." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: 'DID of the issuer, of what we issued.' })
  issuerDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Which credential, of what we issued.' })
  credentialId?: string | null;

  @Field(() => String, { nullable: true, description: 'Hash of the claim, of what we issued.' })
  coreClaimHash?: string | null;

  @Field(() => String, { description: 'What was stored, for whom and when: a JWS of the gateway.' })
  receipt: string;

  @Field(() => DateTimeScalar, { description: 'When it was stored.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the credential expires; null: never.' })
  expiresAt: Date | null;
}

@InputType({ description: 'Which packages; all given fields must hold.' })
export class StoredPackageWhere {
  @Field(() => TextFilter, { nullable: true, description: 'By the DID of the holder.' })
  holderDid?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: 'By schema.' })
  schemaId?: TextFilter | null;

  @Field(() => TextFilter, { nullable: true, description: "By the partner's own id." })
  externalId?: TextFilter | null;
}

@ArgsType()
export class StoredPackageArgs {
  @Field(() => StoredPackageWhere, { nullable: true, description: 'Which ones; all when not given.' })
  where?: StoredPackageWhere | null;

  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, 10 when not given.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what comes after this cursor.' })
  after?: string | null;
}
