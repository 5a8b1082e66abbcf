// GraphQL types of storage and issuance: the same fields as REST (contract §4, §5).
import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { AnchorInfo } from '../chain/types.js';
import { JsonScalar } from '../graphql/shapes/scalars.js';

@ArgsType()
export class ForwardPageArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 10.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
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
    IGNORE: { description: 'Return the existing one.' },
    REVOKE: { description: 'Revoke it and issue a new one, in one transaction.' },
  },
});

@InputType({ description: 'A credential to issue for a managed issuer.' })
export class IssueOnBehalfInput {
  @Field(() => String, { description: 'DID of the managed issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => JsonScalar, { description: "Its content: an object that fits the schema's data points." })
  credentialSubject: Record<string, unknown>;

  @Field(() => OnDuplicate, {
    nullable: true,
    description: 'What to do when the holder has a live credential of this kind; default REVOKE.',
  })
  onDuplicate?: OnDuplicate | null;

  @Field(() => String, { nullable: true, description: 'E-mail address of the recipient; this or userId.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'userId of the recipient; this or email.' })
  userId?: string | null;

  @Field(() => Date, {
    nullable: true,
    description: "When it expires; default: after the credential's expirationDuration.",
  })
  expiresAt?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'For 24 hours, requests with the same key get the first response again.',
  })
  idempotencyKey?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of issuing.' })
export class IssuedCredential {
  @Field(() => String, { description: 'Hash of the claim, 64 hex digits.' })
  coreClaimHash: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => String, { description: 'userId of the holder.' })
  userUuid: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of issueOnBehalf.' })
export class IssueOnBehalfPayload {
  @Field(() => IssuedCredential, { description: 'The issued credential.' })
  issuance: IssuedCredential;
}

@InputType({ description: 'The claim that a self-signing issuer has signed.' })
export class SignedClaimInput {
  @Field(() => String, { description: 'DID of the issuer.' })
  issuerDid: string;

  @Field(() => String, { description: 'Id of the credential.' })
  credentialId: string;

  @Field(() => Int, { nullable: true, description: "Version of the schema; default: the credential's." })
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

  @Field(() => String, { nullable: true, description: 'Its proof type; default BJJ_SIG_2021.' })
  proofType?: string | null;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => Date, { nullable: true, description: 'When it expires; null: never.' })
  expiresAt?: Date | null;

  @Field(() => String, { description: 'Ciphertext, base64.' })
  data: string;

  @Field(() => String, { description: 'IV of 12 bytes, base64.' })
  iv: string;

  @Field(() => String, { description: 'Authentication tag of 16 bytes, base64.' })
  authTag: string;

  @Field(() => String, { description: 'Ephemeral X25519 public key, SPKI DER, base64.' })
  encryptedKey: string;

  @Field(() => String, { description: "The partner's own id for it." })
  externalId: string;

  @Field(() => SignedClaimInput, {
    nullable: true,
    description:
      'The claim in the package. With it, the package has a status and counts as issued; without it, it is only stored.',
  })
  claim?: SignedClaimInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'For 24 hours, requests with the same key get the first response again.',
  })
  idempotencyKey?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A stored package.' })
export class StoredPackage {
  @Field(() => String, { description: 'Its address: dstorage://vc/<id>.' })
  storagePath: string;

  @Field(() => String, { description: 'Always STORED.' })
  state: string;

  @Field(() => String, { description: 'Version of the envelope.' })
  envelopeVersion: string;

  @Field(() => Date, { description: 'When it was stored.' })
  createdAt: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of storeCredential.' })
export class StoreCredentialPayload {
  @Field(() => StoredPackage, { description: 'The stored package.' })
  stored: StoredPackage;
}

@InputType({ description: 'An issuance to revoke, by its claim hash or its nonce (operator only).' })
export class RevokeCredentialInput {
  @Field(() => String, { nullable: true, description: 'Hash of the claim.' })
  coreClaimHash?: string | null;

  @Field(() => String, { nullable: true, description: 'Revocation nonce, decimal.' })
  nonce?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Response of revokeCredential.' })
export class RevokeCredentialPayload {
  @Field(() => Date, { description: 'When it was first revoked.' })
  revokedAt: string;
}

@ObjectType('CredentialStatus', {
  simpleResolvers: true,
  description: 'The public status of an issuance (contract §5).',
})
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

  @Field(() => AnchorInfo, {
    nullable: true,
    description: 'The anchor of the claim on the chain; null until it is confirmed.',
  })
  anchor: AnchorInfo | null;

  @Field(() => AnchorInfo, { nullable: true, description: 'The anchor of its removal; null until it is confirmed.' })
  removal: AnchorInfo | null;
}

@ObjectType({ simpleResolvers: true, description: 'An issuance, for its partner, its holder and the operator.' })
export class Issuance {
  @Field(() => ID, { description: 'Its id: `vcId` of the status.' })
  id: string;

  @Field(() => String, { description: 'Hash of the claim.' })
  coreClaimHash: string;

  @Field(() => String, { description: 'Id of the credential.' })
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

@ObjectType('AvailableCredential', {
  simpleResolvers: true,
  description: 'A credential that an issuer offers to the holder.',
})
export class AvailableCredentialType {
  @Field(() => String, { description: 'Id of the issuer.' })
  issuerId: string;

  @Field(() => String, { description: 'Id of the schema.' })
  schemaId: string;

  @Field(() => String, { nullable: true, description: 'Its proof type.' })
  proofType: string | null;

  @Field(() => EncryptedPreview, { description: 'Its content, encrypted to the holder.' })
  credentialSubject: EncryptedPreview;
}

@ObjectType({ simpleResolvers: true, description: 'Credentials that issuers offer to the holder.' })
export class AvailableCredentials {
  @Field(() => [AvailableCredentialType], { description: 'The offered credentials.' })
  items: AvailableCredentialType[];

  @Field(() => [String], { description: 'Ids of issuers that did not respond.' })
  unavailable: string[];
}
