// GraphQL types of stored packages, for the partner that stored them (contract §4.4).
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { TextFilter } from '../graphql/shapes/filters.js';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'A package that a partner stored, without its ciphertext.' })
export class StoredPackageMetadata {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'Its address: dstorage://vc/<id>.' })
  storagePath: string;

  @Field(() => String, { description: 'Always STORED.' })
  state: string;

  @Field(() => String, { description: 'Version of the envelope.' })
  envelopeVersion: string;

  @Field(() => String, { description: 'DID of the holder.' })
  holderDid: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { description: 'Its proof type.' })
  proofType: string;

  @Field(() => String, { nullable: true, description: "The partner's own id for it; null if the gateway issued it." })
  externalId?: string | null;

  @Field(() => String, { nullable: true, description: 'DID of the issuer, if the gateway issued it.' })
  issuerDid?: string | null;

  @Field(() => String, { nullable: true, description: 'Id of the credential, if the gateway issued it.' })
  credentialId?: string | null;

  @Field(() => String, { nullable: true, description: 'Hash of the claim, if the gateway issued it.' })
  coreClaimHash?: string | null;

  @Field(() => String, { description: 'A JWS in which the gateway states what was stored, for whom and when.' })
  receipt: string;

  @Field(() => DateTimeScalar, { description: 'When it was stored.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the credential expires; null: never.' })
  expiresAt: Date | null;
}

@InputType({ description: 'A filter of packages; all given fields must match.' })
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
  @Field(() => StoredPackageWhere, { nullable: true, description: 'A filter; default: all.' })
  where?: StoredPackageWhere | null;

  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 10.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
  after?: string | null;
}
