// GraphQL types of storage and issuance: the same fields as REST (contract §4, §5).
import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { AnchorInfo } from '../chain/types.js';
import { JsonScalar } from '../graphql/shapes/scalars.js';

@ArgsType()
export class ForwardPageArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, 10 when not given.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what comes after this cursor.' })
  after?: string | null;
}

export enum OnDuplicate {
  IGNORE = 'ignore',
  REVOKE = 'revoke',
}
registerEnumType(OnDuplicate, {
  name: 'OnDuplicate',
  description: 'What to do when the holder has a live credential of this kind.',
  valuesConfig: {
    IGNORE: { description: 'Answer the one that is there.' },
    REVOKE: { description: 'Revoke it and issue anew, together.' },
  },
});

@InputType({ description: 'A credential to issue for a managed issuer.' })
export class IssueOnBehalfInput {
  @Field(() => String, { description: 'DID of the managed issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => JsonScalar, { description: "Its content: an object that fits the schema's data points." })
  credentialSubject: Record<string, unknown>;

  @Field(() => OnDuplicate, { nullable: true, description: 'What to do with a live one; REVOKE when not given.' })
  onDuplicate?: OnDuplicate | null;

  @Field(() => String, { nullable: true, description: 'The recipient by e-mail.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'The recipient by userId.' })
  userId?: string | null;

  @Field(() => Date, { nullable: true, description: "When it expires; by the credential's duration when not given." })
  expiresAt?: Date | null;

  @Field(() => String, { nullable: true, description: 'The first answer to this key is given again for 24 hours.' })
  idempotencyKey?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'What issuing answers.' })
export class IssuedCredential {
  @Field(() => String, { description: 'Hash of the claim, 64 hex digits.' })
  coreClaimHash: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => String, { description: 'userId of the holder.' })
  userUuid: string;
}

@ObjectType({ simpleResolvers: true, description: 'Answer of issueOnBehalf.' })
export class IssueOnBehalfPayload {
  @Field(() => IssuedCredential, { description: 'What was issued.' })
  issuance: IssuedCredential;
}

@InputType({ description: 'What a self-signing issuer says of the claim that it signed.' })
export class SignedClaimInput {
  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => Int, { nullable: true, description: "Version of the schema; the credential's when not given." })
  schemaVersion?: number | null;

  @Field(() => String, { description: 'Hash of the claim, 64 hex digits in lower case.' })
  coreClaimHash: string;

  @Field(() => String, { description: 'Random number of 64 bits, decimal.' })
  revocationNonce: string;
}

@InputType({ description: 'A credential that its issuer signed and encrypted to the holder.' })
export class StoreCredentialInput {
  @Field(() => String, { description: 'DID of the holder.' })
  holderDid: string;

  @Field(() => String, { nullable: true, description: 'How it is proved; BJJ_SIG_2021 when not given.' })
  proofType?: string | null;

  @Field(() => String, { description: 'Which schema.' })
  schemaId: string;

  @Field(() => Date, { nullable: true, description: 'When it expires; null: never.' })
  expiresAt?: Date | null;

  @Field(() => String, { description: 'Ciphertext, base64.' })
  data: string;

  @Field(() => String, { description: 'IV of 12 bytes, base64.' })
  iv: string;

  @Field(() => String, { description: 'Tag of 16 bytes, base64.' })
  authTag: string;

  @Field(() => String, { description: 'Ephemeral X25519 public key, SPKI DER, base64.' })
  encryptedKey: string;

  @Field(() => String, { description: "The partner's own id of it." })
  externalId: string;

  @Field(() => SignedClaimInput, {
    nullable: true,
    description: 'The claim inside: gives it a status, and counts it. Without, the package is only stored.',
  })
  claim?: SignedClaimInput | null;

  @Field(() => String, { nullable: true, description: 'The first answer to this key is given again for 24 hours.' })
  idempotencyKey?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A stored package.' })
export class StoredPackage {
  @Field(() => String, { description: 'Its address: dstorage://vc/<id>.' })
  storagePath: string;

  @Field(() => String, { description: 'STORED.' })
  state: string;

  @Field(() => String, { description: "Version of the envelope's form." })
  envelopeVersion: string;

  @Field(() => Date, { description: 'When it was stored.' })
  createdAt: string;
}

@ObjectType({ simpleResolvers: true, description: 'Answer of storeCredential.' })
export class StoreCredentialPayload {
  @Field(() => StoredPackage, { description: 'What was stored.' })
  stored: StoredPackage;
}

@InputType({ description: 'An issuance to revoke: by its claim hash, or (operators) its nonce.' })
export class RevokeCredentialInput {
  @Field(() => String, { nullable: true, description: 'Hash of the claim.' })
  coreClaimHash?: string | null;

  @Field(() => String, { nullable: true, description: 'Revocation nonce, decimal.' })
  nonce?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Answer of revokeCredential.' })
export class RevokeCredentialPayload {
  @Field(() => Date, { description: 'When it was revoked; the first time, if it was before.' })
  revokedAt: string;
}

@ObjectType({ simpleResolvers: true, description: 'The public status of an issuance (contract §5).' })
export class CredentialStatusType {
  @Field(() => String, { description: 'Hash of the claim.' })
  coreClaimHash: string;

  @Field(() => Date, { description: 'When it was issued.' })
  issuanceDate: Date;

  @Field(() => Date, { nullable: true, description: 'When it expires; null: never.' })
  expirationDate: Date | null;

  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemeId: string;

  @Field(() => String, { description: 'Id of the issuance.' })
  vcId: string;

  @Field(() => String, { description: 'Id of the stored package.' })
  vcDstorageId: string;

  @Field(() => String, { description: 'WAIT_ONCHAIN, ONCHAIN, WAIT_REMOVE, REMOVE or EXPIRE.' })
  vcStatus: string;

  @Field(() => AnchorInfo, { nullable: true, description: 'Where the claim is on the chain; null until confirmed.' })
  anchor: AnchorInfo | null;

  @Field(() => AnchorInfo, { nullable: true, description: 'Where its removal is; null until confirmed.' })
  removal: AnchorInfo | null;
}

@ObjectType({ simpleResolvers: true, description: 'An issuance, as its partner, its holder and the operator see it.' })
export class Issuance {
  @Field(() => ID, { description: 'Its id: `vcId` of the status.' })
  id: string;

  @Field(() => String, { description: 'Hash of the claim.' })
  coreClaimHash: string;

  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'DID of the holder.' })
  holderDid: string;

  @Field(() => String, { description: 'Revocation nonce, decimal.' })
  revocationNonce: string;

  @Field(() => String, { description: 'WAIT_ONCHAIN, ONCHAIN, WAIT_REMOVE, REMOVE or EXPIRE.' })
  vcStatus: string;

  @Field(() => Date, { description: 'When it was issued.' })
  createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When it expires; null: never.' })
  expiresAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was revoked.' })
  revokedAt: Date | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A preview of a credential, encrypted to the holder (contract §6); all parts base64.',
})
export class EncryptedPreview {
  @Field(() => String, { description: 'Ciphertext.' })
  encryptedData: string;

  @Field(() => String, { description: 'IV.' })
  iv: string;

  @Field(() => String, { description: 'Tag.' })
  authTag: string;

  @Field(() => String, { description: 'Ephemeral public key.' })
  dataEncPublicKey: string;
}

@ObjectType({ simpleResolvers: true, description: 'A credential that an issuer has ready for the holder.' })
export class AvailableCredentialType {
  @Field(() => String, { description: 'Id of the issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { nullable: true, description: 'How it will be proved.' })
  proofType: string | null;

  @Field(() => EncryptedPreview, { description: 'Its content, encrypted to the holder.' })
  credentialSubject: EncryptedPreview;
}

@ObjectType({ simpleResolvers: true, description: 'What issuers have ready for the holder.' })
export class AvailableCredentials {
  @Field(() => [AvailableCredentialType], { description: 'What they offer.' })
  items: AvailableCredentialType[];

  @Field(() => [String], { description: 'Ids of issuers that did not answer.' })
  unavailable: string[];
}
