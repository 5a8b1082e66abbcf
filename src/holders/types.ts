// GraphQL types of holders: the recipient that a partner resolves, and a holder's own data. Types of sessions are in session-types.ts.
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { JsonScalar, SafeIntScalar } from '../graphql/shapes/scalars.js';

export enum RecipientStatus {
  NEW = 'new',
  EXISTING = 'existing',
}
registerEnumType(RecipientStatus, {
  name: 'RecipientStatus',
  description: 'Whether the e-mail address already had a holder.',
  valuesConfig: {
    NEW: { description: 'It had none: a holder was created.' },
    EXISTING: { description: 'It had one.' },
  },
});

@ObjectType('Recipient', {
  simpleResolvers: true,
  description: 'A holder with a key, so that credentials can be encrypted to it.',
})
export class RecipientType {
  @Field(() => String, { description: 'Id of the holder, a UUID.' })
  userId: string;

  @Field(() => String, { description: 'Decentralized identifier of the holder. It never changes.' })
  did: string;

  @Field(() => String, { description: 'X25519 public key: SPKI DER in hex with 0x.' })
  publicKey: string;

  @Field(() => RecipientStatus, { description: 'Whether the e-mail address already had a holder.' })
  status: RecipientStatus;
}

@InputType({ description: 'The recipient to resolve.' })
export class InitializeUserInput {
  @Field(() => String, { description: 'E-mail address of the recipient.' })
  email: string;

  @Field(() => String, { nullable: true, description: "The partner's own id for the recipient." })
  partnerUserId?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The resolved recipient.' })
export class InitializeUserPayload {
  @Field(() => RecipientType, { description: 'The recipient.' })
  recipient: RecipientType;
}

@InputType({ description: "The holder's public signing key." })
export class SetSigningKeyInput {
  @Field(() => JsonScalar, { description: 'A P-256 public key (RFC 7517): kty, crv, x, y.' })
  jwk: Record<string, unknown>;
}

@ObjectType({ simpleResolvers: true, description: 'Response of setSigningKey.' })
export class SetSigningKeyPayload {
  @Field(() => JsonScalar, { description: 'The registered key.' })
  jwk: object;
}

@ObjectType({ simpleResolvers: true, description: 'A person and its account.' })
export class HolderUser {
  @Field(() => String, { description: 'Id of the holder, a UUID.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'E-mail address.' })
  email?: string | null;

  @Field(() => String, { nullable: true, description: 'Address of the smart account, when there is one.' })
  abstractAccountAddress?: string | null;

  @Field(() => Boolean, { description: 'Whether a second factor is set up.' })
  isMFASetup: boolean;
}

export enum CoreIdStatus {
  MINTING = 'minting',
  MINTED = 'minted',
}
registerEnumType(CoreIdStatus, {
  name: 'CoreIdStatus',
  description: 'Whether a core id is minted.',
  valuesConfig: {
    MINTING: { description: 'It is being minted.' },
    MINTED: { description: 'It has been minted.' },
  },
});

@ObjectType({ simpleResolvers: true, description: "A holder's core id: its identity record." })
export class CoreIdDetails {
  @Field(() => String, { description: 'Its id.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Its name.' })
  name?: string | null;

  @Field(() => String, {
    description: "Its node: the EIP-137 namehash of its name, or of a hash of the holder's DID if it has no name.",
  })
  node: string;

  @Field(() => CoreIdStatus, { description: 'Its state.' })
  status: CoreIdStatus;

  @Field(() => SafeIntScalar, { description: 'The chain it is on.' })
  chainId: number;

  @Field(() => String, { nullable: true, description: 'Its image.' })
  imageUrl?: string | null;
}

@ObjectType({ simpleResolvers: true, description: "A holder's own data." })
export class Me {
  @Field(() => String, { nullable: true, description: 'The partner through which the holder logged in.' })
  partnerId?: string | null;

  @Field(() => String, { nullable: true, description: "That partner's own id for the holder." })
  partnerUserId?: string | null;

  @Field(() => CoreIdDetails, { nullable: true, description: 'The identity record, when there is one.' })
  coreId?: CoreIdDetails | null;

  @Field(() => HolderUser, { description: 'The person.' })
  user: HolderUser;
}
