// GraphQL types of sessions: the client SDK's results, and the inputs and payloads of the session mutations.
import { Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { SafeIntScalar } from '../graphql/shapes/scalars.js';
import { CoreIdDetails, CoreIdStatus } from './types.js';

@ObjectType({ simpleResolvers: true, description: 'The result of initializing a client.' })
export class CoreInitializationResult {
  @Field(() => Boolean, { description: 'Whether an earlier session continues.' })
  rehydrated: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'A holder who is logged in.' })
export class CoreLoginResult {
  @Field(() => Boolean, { description: 'Always true.' })
  isLoggedIn: boolean;

  @Field(() => String, { description: 'Id of the holder, a UUID.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'Address of the account, when one is registered.' })
  abstractAccountAddress?: string | null;

  @Field(() => String, { nullable: true, description: 'The session token; null in events.' })
  token?: string | null;

  @Field(() => Boolean, { description: 'Whether a second factor is set up.' })
  isMFASetup: boolean;
}

export enum SupportedCurrencyCode {
  EUR = 'EUR',
  USD = 'USD',
  CNY = 'CNY',
  KRW = 'KRW',
  TRY = 'TRY',
}
registerEnumType(SupportedCurrencyCode, {
  name: 'SupportedCurrencyCode',
  description: 'A currency, by ISO 4217.',
  valuesConfig: {
    EUR: { description: 'Euro.' },
    USD: { description: 'US dollar.' },
    CNY: { description: 'Renminbi.' },
    KRW: { description: 'Won.' },
    TRY: { description: 'Turkish lira.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The display settings of a session.' })
export class CoreSessionConfig {
  @Field(() => String, { description: 'Language tag, BCP 47.' })
  locale: string;

  @Field(() => SupportedCurrencyCode, { description: 'Currency for amounts.' })
  currency: SupportedCurrencyCode;
}

@InputType({ description: 'New display settings of a session; missing ones stay unchanged.' })
export class SessionConfigInput {
  @Field(() => String, { nullable: true, description: 'Language tag, BCP 47.' })
  locale?: string | null;

  @Field(() => SupportedCurrencyCode, { nullable: true, description: 'Currency for amounts.' })
  currency?: SupportedCurrencyCode | null;
}

@InputType({ description: 'A client to initialize.' })
export class InitializeInput {
  @Field(() => String, {
    nullable: true,
    description: 'The session token that the client stored; default: the one of the request.',
  })
  token?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'True: do not resume an earlier session.' })
  skipRehydration?: boolean | null;
}

@ObjectType({ simpleResolvers: true, description: 'The result of initializing a client.' })
export class InitializePayload {
  @Field(() => Boolean, { description: 'Whether an earlier session continues.' })
  rehydrated: boolean;

  @Field(() => CoreLoginResult, { nullable: true, description: 'The continued session, with a new token.' })
  result: CoreLoginResult | null;
}

@InputType({ description: 'Who wants to log in. Empty if the partner token has the claim email.' })
export class LoginInput {
  @Field(() => String, { nullable: true, description: 'E-mail address.' })
  email?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Address of the account or of its owner key, instead of an e-mail address.',
  })
  address?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The partner to log in through; required without a partner token.',
  })
  partnerId?: string | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A login in progress: a code was mailed, or the account has to sign a message.',
})
export class LoginPayload {
  @Field(() => String, { description: 'The id to pass to verifyLogin.' })
  loginId: string;

  @Field(() => String, { nullable: true, description: 'What the account has to sign (ERC-4361).' })
  message?: string | null;
}

@InputType({ description: 'The mailed code, or the signature of the account.' })
export class VerifyLoginInput {
  @Field(() => String, { description: 'Which login.' })
  loginId: string;

  @Field(() => String, { nullable: true, description: 'Six digits.' })
  code?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The signature of the message from login, in hex with 0x: by a key (EIP-191 personal_sign) or by a contract (ERC-1271, ERC-6492).',
  })
  signature?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A completed login.' })
export class VerifyLoginPayload {
  @Field(() => CoreLoginResult, { description: 'The holder and its session token.' })
  result: CoreLoginResult;
}

@ObjectType({ simpleResolvers: true, description: 'A session that has ended.' })
export class LogoutPayload {
  @Field(() => Boolean, { description: 'True: all its tokens are now refused.' })
  loggedOut: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'The display settings of the session after the call.' })
export class UpdateSessionConfigPayload {
  @Field(() => CoreSessionConfig, { description: 'All settings.' })
  sessionConfig: CoreSessionConfig;
}

@InputType({ description: "A holder's core id: its identity record." })
export class CoreIdInput {
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

@InputType({
  description: 'The result of minting a core id: the core id, or why it could not be minted.',
})
export class RecordCoreIdInput {
  @Field(() => String, { description: 'userId of the holder.' })
  holderId: string;

  @Field(() => CoreIdInput, { nullable: true, description: 'The record.' })
  coreId?: CoreIdInput | null;

  @Field(() => String, { nullable: true, description: 'Why it could not be minted; the core id is then removed.' })
  errorMessage?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Response of recordCoreId.' })
export class RecordCoreIdPayload {
  @Field(() => CoreIdDetails, { nullable: true, description: 'The current core id.' })
  coreId: CoreIdDetails | null;
}
