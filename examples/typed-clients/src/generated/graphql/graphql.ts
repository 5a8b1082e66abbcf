/* eslint-disable */
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = { [_ in K]?: never };
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A time in ISO 8601, such as "2024-05-01T12:00:00.000Z". Responses are in UTC. */
  DateTime: { input: string; output: string; }
  /** Any JSON value: text, number, true, false, null, list or object. */
  JSON: { input: unknown; output: unknown; }
  /** A whole number from -9007199254740991 to 9007199254740991 (2^53 - 1). In JSON it is a number. */
  SafeInt: { input: number; output: number; }
};

/** A credential that a program accepts. */
export type AcceptedCredentialInput = {
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** Conditions that must all hold, such as `age >= 18`. */
  verificationConditions: Array<Scalars['String']['input']>;
};

/** A new passkey. */
export type AddPasskeyInput = {
  /** Its name, for the list. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** The RegistrationResponseJSON (WebAuthn) to the options, without outputs of PRF. */
  response: Scalars['JSON']['input'];
};

/** What a partner's page got from a wallet: a response with its origin, or a code. */
export type AnswerFromWalletInput = {
  /** For dc_api: the origin of the page that got it. */
  origin?: InputMaybe<Scalars['String']['input']>;
  /** For dc_api: the encrypted response. */
  response?: InputMaybe<Scalars['String']['input']>;
  /** For same_device: `response_code` from the fragment of the redirectUrl that the wallet opened. */
  responseCode?: InputMaybe<Scalars['String']['input']>;
  /** Which verification. */
  verificationId: Scalars['String']['input'];
};

/** A holder's answer: a proof with its claim and opening, or that there is none. */
export type AnswerVerificationInput = {
  /** For a program with `cak`: whether the verifier may have the compliance access key. */
  cakConsent?: InputMaybe<Scalars['Boolean']['input']>;
  /** True: the holder cannot give a proof. */
  cannot?: InputMaybe<Scalars['Boolean']['input']>;
  /** Hash of the proved claim; required with presentation. */
  coreClaimHash?: InputMaybe<Scalars['String']['input']>;
  /** True: the holder declines to give a proof. */
  declined?: InputMaybe<Scalars['Boolean']['input']>;
  /** The secret that opens the presentation's commitment: 32 bytes, base64url. */
  opening?: InputMaybe<Scalars['String']['input']>;
  /** The proof. */
  presentation?: InputMaybe<Scalars['String']['input']>;
  /** Which verification. */
  verificationId: Scalars['String']['input'];
};

/** A filter of audit entries; all given fields must match. */
export type AuditWhere = {
  /** `operator <name of the key>` or `partner <partnerId>`. */
  actor?: InputMaybe<Scalars['String']['input']>;
  /** From this moment on. */
  from?: InputMaybe<Scalars['DateTime']['input']>;
  /** An operation, such as `partner.put`. */
  operation?: InputMaybe<Scalars['String']['input']>;
  /** Id of what was written; cannot be combined with `actor` or `operation`. */
  subject?: InputMaybe<Scalars['String']['input']>;
  /** Before this moment. */
  to?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A batch. */
export type BatchInput = {
  /** Id of the batch. */
  jobId: Scalars['String']['input'];
};

/** One recipient of a batch. */
export type BatchRowInput = {
  /** Its content: an object that fits the schema's data points. */
  credentialSubject: Scalars['JSON']['input'];
  /** E-mail address of the recipient; this or userId. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** When it expires; default: after the credential's expirationDuration. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The key of the row in its batch, at most 255 characters: a line number or your own id, no personal data. */
  rowKey: Scalars['String']['input'];
  /** userId of the recipient; this or email. */
  userId?: InputMaybe<Scalars['String']['input']>;
};

/** The state of a row. */
export type BatchRowState =
  /** Cancelled; its content is erased. */
  | 'CANCELLED'
  /** Valid in the dry run; its content is erased. */
  | 'CHECKED'
  /** Refused; its content stays sealed for a retry. */
  | 'FAILED'
  /** Issued, or matched by a live credential; its content is erased. */
  | 'ISSUED'
  /** Not processed yet; its content is sealed. */
  | 'WAITING';

/** The state of a batch. */
export type BatchState =
  /** Cancelled; issued credentials stay valid. */
  | 'CANCELLED'
  /** The waiting rows are being erased. */
  | 'CANCELLING'
  /** Every row has a result; failed ones can be retried. */
  | 'FINISHED'
  /** Rows are waiting or being processed. */
  | 'RUNNING';

/** The curve of a CAK key pair. */
export type CakCurve =
  /** The curve secp256k1, as Ethereum uses it. */
  | 'SECP256K1'
  /** The curve secp256r1 (NIST P-256). */
  | 'SECP256R1';

/** The four kinds of callers. */
export type CallerKind =
  /** A request without credentials. */
  | 'ANONYMOUS'
  /** A holder, with a session token in authorization. */
  | 'HOLDER'
  /** The operator, with the key in x-admin-api-key. */
  | 'OPERATOR'
  /** A partner, with its token in x-partner-auth. */
  | 'PARTNER';

/** A chain job. */
export type ChainJobInput = {
  /** Its id. */
  jobId: Scalars['String']['input'];
};

/** The state of a chain job. */
export type ChainJobState =
  /** Deep enough to be final. */
  | 'CONFIRMED'
  /** Failed without an effect. */
  | 'FAILED'
  /** In a block. */
  | 'MINED'
  /** Waiting for a nonce. */
  | 'QUEUED'
  /** Sent to the chain. */
  | 'SENT'
  /** Signed and stored. */
  | 'SIGNED';

/** A proof to check. */
export type CheckProofInput = {
  /** A presentation. */
  zkProof: Scalars['String']['input'];
};

/** The core id to claim. */
export type ClaimCoreIdInput = {
  /** Its name without the root: 3 to 32 of a-z and 0-9, with single hyphens inside; default: none. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** Two lists of conditions. All conditions of a list must hold. */
export type CompareConditionsInput = {
  /** Conditions as text, at most 64. */
  a: Array<Scalars['String']['input']>;
  /** Conditions as text, at most 64. */
  b: Array<Scalars['String']['input']>;
  /** The schema that they are about, in its current version. */
  schemaId: Scalars['String']['input'];
};

/** A notation of conditions. */
export type ConditionNotation =
  /** A claims query of DCQL, `{claims: [{path, values}]}`. */
  | 'DCQL'
  /** An iden3 query, `{credentialSubject: {field: {$gte: 18}}}`. */
  | 'IDEN3'
  /** A list of conditions as text. */
  | 'TEXT';

/** A revocation to start. */
export type ConfirmRevocationInput = {
  /** For 24 hours, requests with the same key get the first response again. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** The token of the preview. */
  token: Scalars['String']['input'];
};

/** Conditions, and the notation to convert them to. */
export type ConvertConditionsInput = {
  /** The notation they are in. */
  from: ConditionNotation;
  /** The notation to convert them to. */
  to: ConditionNotation;
  /** The conditions, at most 64. */
  value: Scalars['JSON']['input'];
};

/** A holder's core id: its identity record. */
export type CoreIdInput = {
  /** The chain it is on. */
  chainId: Scalars['SafeInt']['input'];
  /** Its id. */
  id: Scalars['String']['input'];
  /** Its image. */
  imageUrl?: InputMaybe<Scalars['String']['input']>;
  /** Its name. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Its node: the EIP-137 namehash of its name, or of a hash of the holder's DID if it has no name. */
  node: Scalars['String']['input'];
  /** Its state. */
  status: CoreIdStatus;
};

/** Whether a core id is minted. */
export type CoreIdStatus =
  /** It has been minted. */
  | 'MINTED'
  /** It is being minted. */
  | 'MINTING';

/** A credential to offer to a wallet. */
export type CreateOfferInput = {
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** Its content: an object that fits the schema's data points. */
  credentialSubject: Scalars['JSON']['input'];
  /** E-mail address of the recipient; this or userId. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** When it expires; default: after the credential's expirationDuration. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Seconds for which the offer is open; default: a day. */
  expiresIn?: InputMaybe<Scalars['Int']['input']>;
  /** Random, of at least 20 characters, such as a UUID. For 24 hours, the same request under the same key is the same offer, with a new offerUri while it is open. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** DID of the managed issuer. */
  issuerDid: Scalars['String']['input'];
  /** What to do when the holder has a live credential of this kind; default REVOKE. */
  onDuplicate?: InputMaybe<OnDuplicate>;
  /** How the recipient gets the transaction code; default MAIL. */
  txCode?: InputMaybe<TxCode>;
  /** userId of the recipient; this or email. */
  userId?: InputMaybe<Scalars['String']['input']>;
};

/** An operator key to create. */
export type CreateOperatorKeyInput = {
  /** Its name: lower-case letters, digits, "." and "-", used once. */
  name: Scalars['String']['input'];
  /** What it allows. */
  role: OperatorKeyRole;
};

/** The order of a list of credentials. Entries with equal values are ordered by id. */
export type CredentialOrder = {
  /** The direction; default DESC, or ASC for names and titles. */
  direction?: InputMaybe<OrderDirection>;
  /** What to order by. */
  field: CredentialOrderField;
};

/** What credentials can be ordered by. */
export type CredentialOrderField =
  /** By when it entered the catalog. */
  | 'CREATED'
  /** By how many programs accept it. */
  | 'DEMAND'
  /** By name; case and accents are ignored. */
  | 'NAME'
  /** By popularity: unique holders. */
  | 'POPULARITY';

/** A filter of credentials; all given fields must match. */
export type CredentialWhere = {
  /** Its category label. */
  category?: InputMaybe<TextFilter>;
  /** When it entered the catalog. Only in the order CREATED. */
  createdAt?: InputMaybe<DateTimeFilter>;
  /** Its own id. */
  credentialId?: InputMaybe<TextFilter>;
  /** Programs that accept it. Only in the order DEMAND. */
  demandCount?: InputMaybe<IntFilter>;
  /** Its unique holders. Only in the order POPULARITY. */
  holderCount?: InputMaybe<IntFilter>;
  /** Id of its issuer. */
  issuerId?: InputMaybe<TextFilter>;
  /** Its name. */
  name?: InputMaybe<NameFilter>;
  /** Id of its schema. */
  schemaId?: InputMaybe<TextFilter>;
};

/** One data point of a schema. */
export type DataPointInput = {
  /** What the field means. */
  description?: Scalars['String']['input'];
  /** Whether every credential must have it. */
  isRequired?: Scalars['Boolean']['input'];
  /** Field name relative to `credentialSubject`, with dots when nested. */
  name: Scalars['String']['input'];
  /** Title for people; default: the name. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** Data type of the field. */
  type: Scalars['String']['input'];
};

/** Compares a time; all given operators must hold. */
export type DateTimeFilter = {
  /** Exactly this time. */
  eq?: InputMaybe<Scalars['DateTime']['input']>;
  /** After this time. */
  gt?: InputMaybe<Scalars['DateTime']['input']>;
  /** At or after this time. */
  gte?: InputMaybe<Scalars['DateTime']['input']>;
  /** Before this time. */
  lt?: InputMaybe<Scalars['DateTime']['input']>;
  /** At or before this time. */
  lte?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A claim that is true if a condition holds at issuance, and absent otherwise. */
export type DerivedClaimInput = {
  /** A condition on one data point, such as `birthDate <= today - 18 years`. */
  condition: Scalars['String']['input'];
  /** Its path, with dots where it is nested, such as `age_equal_or_over.18`. */
  name: Scalars['String']['input'];
};

/** The holder, by userId, DID or e-mail address. */
export type EraseHolderInput = {
  /** Its DID. */
  did?: InputMaybe<Scalars['String']['input']>;
  /** Its e-mail address. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** Its userId. */
  userId?: InputMaybe<Scalars['ID']['input']>;
};

/** The progress of an erasure. */
export type ErasureState =
  /** Nothing of the holder is left. */
  | 'DONE'
  /** Rows are being deleted. */
  | 'ERASING'
  /** Everything is deleted. What requests in progress still add is deleted after ten minutes. */
  | 'SETTLING';

/** How much of its holders' gas a partner pays for, per day (UTC). */
export type GasPolicyInput = {
  /** Whether the partner also pays for sessions opened without a partner token. */
  anyLogin?: InputMaybe<Scalars['Boolean']['input']>;
  /** Deployments of accounts per day. */
  deploysPerDay?: InputMaybe<Scalars['Int']['input']>;
  /** Deployments of accounts of each holder per day. */
  deploysPerHolderPerDay?: InputMaybe<Scalars['Int']['input']>;
  /** Units of gas per day. */
  gasPerDay?: InputMaybe<Scalars['Float']['input']>;
  /** Units of gas of each holder per day. */
  gasPerHolderPerDay?: InputMaybe<Scalars['Float']['input']>;
  /** Core ids minted per day. */
  mintsPerDay?: InputMaybe<Scalars['Int']['input']>;
  /** Core ids minted for each holder per day. */
  mintsPerHolderPerDay?: InputMaybe<Scalars['Int']['input']>;
  /** User operations of each holder per day. */
  opsPerHolderPerDay?: InputMaybe<Scalars['Int']['input']>;
  /** Contracts and functions that operations may call; default: any. */
  targets?: InputMaybe<Array<GasTargetInput>>;
};

/** A contract that sponsored operations may call. */
export type GasTargetInput = {
  /** Address of the contract. */
  address: Scalars['String']['input'];
  /** First 4 bytes of calls, in hex with 0x; default: any. */
  selectors?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A client to initialize. */
export type InitializeInput = {
  /** True: do not resume an earlier session. */
  skipRehydration?: InputMaybe<Scalars['Boolean']['input']>;
  /** The session token that the client stored; default: the one of the request. */
  token?: InputMaybe<Scalars['String']['input']>;
};

/** The recipient to resolve. */
export type InitializeUserInput = {
  /** E-mail address of the recipient. */
  email: Scalars['String']['input'];
  /** The partner's own id for the recipient. */
  partnerUserId?: InputMaybe<Scalars['String']['input']>;
};

/** A proof that the holder owns an account. */
export type InitializeWalletInput = {
  /** The id that walletChallenge returned. */
  challengeId: Scalars['String']['input'];
  /** The signature of the challenge's message, in hex with 0x: by a key (EIP-191 personal_sign) or by a contract (ERC-1271, ERC-6492). */
  signature: Scalars['String']['input'];
};

/** Compares a whole number; all given operators must hold. */
export type IntFilter = {
  /** Exactly this number. */
  eq?: InputMaybe<Scalars['Int']['input']>;
  /** More than this. */
  gt?: InputMaybe<Scalars['Int']['input']>;
  /** This or more. */
  gte?: InputMaybe<Scalars['Int']['input']>;
  /** Less than this. */
  lt?: InputMaybe<Scalars['Int']['input']>;
  /** This or less. */
  lte?: InputMaybe<Scalars['Int']['input']>;
};

/** A filter of issuance events; all given fields must match. */
export type IssuanceEventWhere = {
  /** By credential. */
  credentialId?: InputMaybe<TextFilter>;
  /** By the id of the issuer. */
  issuerId?: InputMaybe<TextFilter>;
  /** By schema. */
  schemaId?: InputMaybe<TextFilter>;
  /** By type: submitted, stored, anchored, revoked, removed, expired. */
  type?: InputMaybe<TextFilter>;
};

/** A filter of issuances; all given fields must match. */
export type IssuanceListWhere = {
  /** Only of this credential. */
  credentialId?: InputMaybe<Scalars['String']['input']>;
  /** Only before this moment. */
  issuedBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only from this moment on. */
  issuedFrom?: InputMaybe<Scalars['DateTime']['input']>;
  /** Only of this issuer. */
  issuerDid?: InputMaybe<Scalars['String']['input']>;
  /** Only with this status. Operators give a credential, an issuer, a holder or `issuedFrom`, too. */
  status?: InputMaybe<IssuanceStatus>;
  /** Only to this holder. */
  userId?: InputMaybe<Scalars['String']['input']>;
};

/** The status of an issuance. */
export type IssuanceStatus =
  /** Expired. */
  | 'EXPIRE'
  /** Valid, and on the chain. */
  | 'ONCHAIN'
  /** Revoked. */
  | 'REMOVE'
  /** Valid, and not on the chain yet. */
  | 'WAIT_ONCHAIN'
  /** Revoked, and not removed from the chain yet. */
  | 'WAIT_REMOVE';

/** Many credentials of one kind to issue for a managed issuer. */
export type IssueOnBehalfBatchInput = {
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** Only check every row and issue nothing; default false. */
  dryRun?: InputMaybe<Scalars['Boolean']['input']>;
  /** For 24 hours, requests with the same key get the first response again. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** DID of the managed issuer. */
  issuerDid: Scalars['String']['input'];
  /** What to do when the holder has a live credential of this kind; default REVOKE. */
  onDuplicate?: InputMaybe<OnDuplicate>;
  /** 1 to 10,000 rows, each with a key of its own. */
  rows: Array<BatchRowInput>;
};

/** A credential to issue for a managed issuer. */
export type IssueOnBehalfInput = {
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** Its content: an object that fits the schema's data points. */
  credentialSubject: Scalars['JSON']['input'];
  /** E-mail address of the recipient; this or userId. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** When it expires; default: after the credential's expirationDuration. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** For 24 hours, requests with the same key get the first response again. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** DID of the managed issuer. */
  issuerDid: Scalars['String']['input'];
  /** What to do when the holder has a live credential of this kind; default REVOKE. */
  onDuplicate?: InputMaybe<OnDuplicate>;
  /** userId of the recipient; this or email. */
  userId?: InputMaybe<Scalars['String']['input']>;
};

/** The order of a list of issuers. Entries with equal values are ordered by id. */
export type IssuerOrder = {
  /** The direction; default DESC, or ASC for names and titles. */
  direction?: InputMaybe<OrderDirection>;
  /** What to order by. */
  field: IssuerOrderField;
};

/** What issuers can be ordered by. */
export type IssuerOrderField =
  /** By when it entered the catalog. */
  | 'CREATED'
  /** By name; case and accents are ignored. */
  | 'NAME'
  /** By popularity: unique holders. */
  | 'POPULARITY';

/** How wallets of others get the credentials of a managed issuer. */
export type IssuerWalletsInput = {
  /** Certificates (PEM) of providers whose attestations of keys count. */
  keyProviders?: InputMaybe<Array<Scalars['String']['input']>>;
  /** How strictly wallets are checked; default OPEN. */
  profile?: InputMaybe<WalletProfile>;
  /** Certificates (PEM) of providers whose attestations of wallets count. */
  walletProviders?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A filter of issuers; all given fields must match. */
export type IssuerWhere = {
  /** When it entered the catalog. Only in the order CREATED. */
  createdAt?: InputMaybe<DateTimeFilter>;
  /** Its unique holders. Only in the order POPULARITY. */
  holderCount?: InputMaybe<IntFilter>;
  /** Its decentralized identifier. */
  issuerDid?: InputMaybe<TextFilter>;
  /** Its kind, such as "education". */
  issuerFrom?: InputMaybe<TextFilter>;
  /** Its own id. */
  issuerId?: InputMaybe<TextFilter>;
  /** Its name. */
  name?: InputMaybe<NameFilter>;
};

/** How a credential is issued. */
export type Issuing =
  /** By the back end of its issuer. */
  | 'HOSTED'
  /** On behalf of its issuer, whose key the gateway holds. */
  | 'MANAGED'
  /** Not at the request of holders or partners. */
  | 'NONE';

/** The key of a backup, encrypted for one way in. */
export type KeyBackupWrapInput = {
  /** The encrypted key, in base64. */
  data: Scalars['String']['input'];
  /** Id of the passkey. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** The initialization vector, in base64. */
  iv: Scalars['String']['input'];
  /** The way in. */
  kind: KeyBackupWrapKind;
};

/** A way into a key backup. */
export type KeyBackupWrapKind =
  /** The PRF output of a passkey. */
  | 'PASSKEY'
  /** The recovery code. */
  | 'RECOVERY';

/** Who wants to log in. Empty if the partner token has the claim email. */
export type LoginInput = {
  /** Address of the account or of its owner key, instead of an e-mail address. */
  address?: InputMaybe<Scalars['String']['input']>;
  /** E-mail address. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** The partner to log in through; required without a partner token. */
  partnerId?: InputMaybe<Scalars['String']['input']>;
};

/** The parts of a run over another network, in order. */
export type MirrorPhase =
  /** It looks for entries that the source no longer has. */
  | 'MISSING'
  /** It reads programs, with their verifiers, credentials and issuers. */
  | 'PROGRAMS'
  /** It reads schemas. */
  | 'SCHEMAS';

/** The state of a run over another network. */
export type MirrorState =
  /** It has read all of the source. */
  | 'DONE'
  /** It reads the source. */
  | 'RUNNING'
  /** It ended early; the next run continues it. */
  | 'STOPPED';

/** Compares a name or title; all given operators must hold. */
export type NameFilter = {
  /** Words. Each must be the beginning of a word of the name; case and accents are ignored, and ß is ss, æ is ae, ø is o, ł is l. */
  contains?: InputMaybe<Scalars['String']['input']>;
  /** Exactly this name. */
  eq?: InputMaybe<Scalars['String']['input']>;
  /** Any of these names, at most 100. */
  in?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** Why an offer is closed. */
export type OfferClosedReason =
  /** Nobody took it in time. */
  | 'EXPIRED'
  /** The credential could no longer be issued. */
  | 'REFUSED'
  /** Five wrong transaction codes. */
  | 'TRIES'
  /** The partner withdrew it. */
  | 'WITHDRAWN';

/** The state of an offer. */
export type OfferState =
  /** A wallet has an access token for it. */
  | 'CLAIMED'
  /** Nobody can take it any more. */
  | 'CLOSED'
  /** A wallet has the credential. */
  | 'ISSUED'
  /** No wallet has taken it. */
  | 'OPEN';

/** What to do when the holder has a live credential of this kind. */
export type OnDuplicate =
  /** Return the existing one. */
  | 'IGNORE'
  /** Revoke it and issue a new one, in one transaction. */
  | 'REVOKE';

/** Which operator key. */
export type OperatorKeyInput = {
  /** Its name. */
  name: Scalars['String']['input'];
};

/** What an operator key may do. */
export type OperatorKeyRole =
  /** Everything. */
  | 'ALL'
  /** READ, and write the catalog. */
  | 'CATALOG'
  /** Read what operators may read. */
  | 'READ';

/** The direction of an order. */
export type OrderDirection =
  /** Smallest, earliest or first in the alphabet first. */
  | 'ASC'
  /** Largest, latest or last in the alphabet first. */
  | 'DESC';

/** The state of a part of the gateway. */
export type PartState =
  /** Something does not work now. */
  | 'BAD'
  /** It works, as far as the gateway knows. */
  | 'OK'
  /** It works, but needs somebody soon. */
  | 'WARN';

/** A holder's decision about a partner. */
export type PartnerConsent =
  /** The partner may issue to the holder. */
  | 'ACCEPTED'
  /** The partner may not issue to the holder. */
  | 'DECLINED';

/** An operation of a partner. */
export type PartnerOperation =
  /** Reads a batch of the partner. */
  | 'BATCH'
  /** Reads the public half of a holder's CAK. */
  | 'CAK_KEY'
  /** Cancels a batch. */
  | 'CANCEL_BATCH'
  /** Checks the mathematics of a proof. */
  | 'CHECK_PROOF'
  /** Starts the revocation of a preview. */
  | 'CONFIRM_REVOCATION'
  /** Offers a credential to a wallet. */
  | 'CREATE_OFFER'
  /** Deletes a stored package of the partner. */
  | 'DELETE_PACKAGE'
  /** Resolves the recipient of a credential. */
  | 'INITIALIZE_USER'
  /** Issues a credential for a managed issuer. */
  | 'ISSUE_ON_BEHALF'
  /** Creates a batch of issuances. */
  | 'ISSUE_ON_BEHALF_BATCH'
  /** Reads the partner's offers. */
  | 'OFFERS'
  /** Previews a revocation by filter. */
  | 'PREVIEW_REVOCATION'
  /** Retries the failed rows of a batch. */
  | 'RETRY_BATCH'
  /** Reads a revocation of the partner. */
  | 'REVOCATION_JOB'
  /** Revokes what the partner issued. */
  | 'REVOKE_CREDENTIAL'
  /** Starts a verification. */
  | 'START_VERIFICATION'
  /** Reads the partner's stored packages. */
  | 'STORED_PACKAGES'
  /** Stores a credential that its issuer signed. */
  | 'STORE_CREDENTIAL'
  /** Lists the partner's verifications. */
  | 'VERIFICATIONS'
  /** Registers and manages the partner's webhooks. */
  | 'WEBHOOKS'
  /** Withdraws an offer of the partner. */
  | 'WITHDRAW_OFFER';

/** The result of writing a partner. */
export type PartnerPutResult =
  /** There was no such partner, or it had been retired. */
  | 'CREATED'
  /** The partner already had this content; nothing was written. */
  | 'UNCHANGED'
  /** The partner was replaced. */
  | 'UPDATED';

/** What a partner token allows. */
export type PartnerScope =
  /** Resolving recipients, storing and issuing credentials. */
  | 'ISSUE'
  /** Starting verifications and checking proofs. */
  | 'VERIFY';

/** Which webhooks are listed. */
export type PartnerWebhookFilter =
  /** It responded with 410, or failed for three days. */
  | 'DISABLED'
  /** The last call has failed. */
  | 'FAILING'
  /** The operator has paused it. */
  | 'PAUSED';

/** Whether a program can be met with the held credentials. */
export type PlanResult =
  /** It depends on values, or on a claim that is not on the chain yet. */
  | 'MAYBE'
  /** No held credential can meet it. */
  | 'NO'
  /** A held credential is accepted, whatever its values. */
  | 'YES';

/** The state of an accepted credential for a holder. */
export type PlanState =
  /** The held claim has expired. */
  | 'EXPIRED'
  /** Held and on the chain, or named in the query. */
  | 'HELD'
  /** Not held. */
  | 'NOT_HELD'
  /** Held, but not on the chain yet. */
  | 'PENDING'
  /** The held claim is revoked. */
  | 'REVOKED'
  /** The held claim is revoked, but still on the chain. */
  | 'REVOKING'
  /** The conditions cannot be proven of it, or of the held version. */
  | 'UNPROVABLE';

/** Which issuances to revoke. All given fields must match; at least one field that narrows the set is required. */
export type PreviewRevocationInput = {
  /** Issued by this batch: its jobId. */
  batchId?: InputMaybe<Scalars['String']['input']>;
  /** Of this credential. */
  credentialId?: InputMaybe<Scalars['String']['input']>;
  /** Of the holder with this DID. */
  holderDid?: InputMaybe<Scalars['String']['input']>;
  /** Issued before this moment. */
  issuedBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Issued at this moment or later. */
  issuedFrom?: InputMaybe<Scalars['DateTime']['input']>;
  /** Of the issuer with this DID. */
  issuerDid?: InputMaybe<Scalars['String']['input']>;
  /** Issued by this partner. Operators only. */
  partnerId?: InputMaybe<Scalars['String']['input']>;
  /** On this schema. */
  schemaId?: InputMaybe<Scalars['String']['input']>;
  /** With this status. */
  status?: InputMaybe<RevocableStatus>;
  /** Of the holder with this userId. */
  userId?: InputMaybe<Scalars['String']['input']>;
};

/** The order of a list of programs. Entries with equal values are ordered by id. */
export type ProgramOrder = {
  /** The direction; default DESC, or ASC for names and titles. */
  direction?: InputMaybe<OrderDirection>;
  /** What to order by. */
  field: ProgramOrderField;
};

/** What programs can be ordered by. */
export type ProgramOrderField =
  /** By when it entered the catalog. */
  | 'CREATED'
  /** By how many credentials it accepts. */
  | 'CREDENTIAL_COUNT'
  /** By name; case and accents are ignored. */
  | 'NAME'
  /** By popularity: verifications. */
  | 'POPULARITY';

/** A filter of programs; all given fields must match. */
export type ProgramWhere = {
  /** When it entered the catalog. Only in the order CREATED. */
  createdAt?: InputMaybe<DateTimeFilter>;
  /** How many credentials it accepts. Only in the order CREDENTIAL_COUNT. */
  credentialCount?: InputMaybe<IntFilter>;
  /** Id of a credential it accepts. */
  credentialId?: InputMaybe<TextFilter>;
  /** Its name. */
  name?: InputMaybe<NameFilter>;
  /** Its pricing model label. */
  pricingModel?: InputMaybe<TextFilter>;
  /** Its own id. */
  programId?: InputMaybe<TextFilter>;
  /** Its verifications. Only in the order POPULARITY. */
  verificationCount?: InputMaybe<IntFilter>;
  /** Id of its verifier. */
  verifierId?: InputMaybe<TextFilter>;
};

/** A proof of a second factor: one of the two. */
export type ProveMfaInput = {
  /** The recovery proof: 32 bytes in hex. */
  recoveryProof?: InputMaybe<Scalars['String']['input']>;
  /** The AuthenticationResponseJSON (WebAuthn) of a passkey to the options, without outputs of PRF. */
  response?: InputMaybe<Scalars['JSON']['input']>;
};

/** The new content of a credential; replaces the whole entry. */
export type PutCredentialInput = {
  /** When issuing it ends. */
  accessibleEnd?: InputMaybe<Scalars['DateTime']['input']>;
  /** When issuing it begins. */
  accessibleStart?: InputMaybe<Scalars['DateTime']['input']>;
  /** Comes with a compliance access key; false when left out. */
  cak?: InputMaybe<Scalars['Boolean']['input']>;
  /** Category label. */
  category: Scalars['String']['input'];
  /** When it was created; default: unchanged, or now for a new entry. */
  createdAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** Id of the credential: 1 to 500 printable characters without white space. */
  credentialId: Scalars['String']['input'];
  /** Claims of that form which follow from conditions. Once it was offered to a wallet, claims can only be added. */
  derived?: InputMaybe<Array<DerivedClaimInput>>;
  /** Seconds for which a credential is valid; null: it never expires. */
  expirationDuration?: InputMaybe<Scalars['Int']['input']>;
  /** True: accept broken conditions of live programs. */
  force?: InputMaybe<Scalars['Boolean']['input']>;
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the entry does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** Its issuer. */
  issuerId: Scalars['String']['input'];
  /** How many may be issued; null: any number. */
  maximumIssuance?: InputMaybe<Scalars['Int']['input']>;
  /** Name of the credential. */
  name: Scalars['String']['input'];
  /** Whether it is signed so that conditions on it can be proven; null: if its schema has at most 64 data points. */
  provable?: InputMaybe<Scalars['Boolean']['input']>;
  /** The schema it is built on; a new credential uses its current version. */
  schemaId: Scalars['String']['input'];
  /** The type of its form for wallets; null: the address /vct/<credentialId> of this gateway. Fixed once it was offered to a wallet. */
  vct?: InputMaybe<Scalars['String']['input']>;
};

/** The new content of an issuer; replaces the whole entry. */
export type PutIssuerInput = {
  /** Certificates, PEM, of the authorities of an issuer whose credentials wallets present. */
  anchors?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Sent to its endpoints as x-api-key; never returned. Left out: unchanged, but removed for an endpoint at a new origin; null: removed. */
  apiKey?: InputMaybe<Scalars['String']['input']>;
  /** Its https endpoint that lists the credentials a holder can get. */
  availableVcUrl?: InputMaybe<Scalars['String']['input']>;
  /** Of an issuer that signs for itself: its https endpoint that gives credentials to wallets. */
  credentialUrl?: InputMaybe<Scalars['String']['input']>;
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the entry does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** Its https endpoint that issues a credential. */
  issueVcUrl?: InputMaybe<Scalars['String']['input']>;
  /** Decentralized identifier that it signs with; no other issuer may have it. Left out when managed. */
  issuerDid?: InputMaybe<Scalars['String']['input']>;
  /** The kind of issuer, such as "education". */
  issuerFrom: Scalars['String']['input'];
  /** Id of the issuer: 1 to 500 printable characters without white space. */
  issuerId: Scalars['String']['input'];
  /** True: the gateway creates and holds its keys, from which its DID is derived. */
  managed?: InputMaybe<Scalars['Boolean']['input']>;
  /** Name of the issuer. */
  name: Scalars['String']['input'];
  /** Of a managed issuer: its https endpoint that says what a credential contains, for wallets that come without an offer. */
  subjectUrl?: InputMaybe<Scalars['String']['input']>;
  /** Instead of anchors: the `iss` of its credentials, under which it publishes keys (/.well-known/jwt-vc-issuer). */
  walletIssuer?: InputMaybe<Scalars['String']['input']>;
  /** How wallets of others get its credentials; null: as OPEN, without providers. */
  wallets?: InputMaybe<IssuerWalletsInput>;
  /** BBS keys of an issuer that signs for itself; keys that are left out are removed. */
  zkKeys?: InputMaybe<Array<ZkKeyInput>>;
};

/** A key backup, at most 16 KiB. */
export type PutKeyBackupInput = {
  /** The keys, encrypted by AES-256-GCM, in base64. */
  data: Scalars['String']['input'];
  /** The etag of the backup that this one replaces. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if there is no backup yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** The initialization vector, in base64. */
  iv: Scalars['String']['input'];
  /** SHA-256 of the recovery proof in hex. Required unless a wrap is of a passkey that the holder has. */
  recoveryProofHash?: InputMaybe<Scalars['String']['input']>;
  /** The key of the backup, encrypted for each way in: 1 to 20. */
  wraps: Array<KeyBackupWrapInput>;
};

/** The new content of a partner; replaces the whole record. */
export type PutPartnerInput = {
  /** Origins whose pages may call with its tokens; default none. */
  allowedOrigins?: InputMaybe<Array<Scalars['String']['input']>>;
  /** How much of its holders' gas it pays for; what is left out has its default. */
  gasPolicy?: InputMaybe<GasPolicyInput>;
  /** Write only if the record still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the record does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** Whether managed issuers may sign credentials for it; default false. */
  issueOnBehalf?: InputMaybe<Scalars['Boolean']['input']>;
  /** Issuers it may issue for; default none. */
  issuerDids?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Its key set (RFC 7517); this or jwksUri. */
  jwks?: InputMaybe<Scalars['JSON']['input']>;
  /** https URL of its published key set; this or jwks. */
  jwksUri?: InputMaybe<Scalars['String']['input']>;
  /** Name of the partner. */
  name: Scalars['String']['input'];
  /** Id of the partner, a UUID. */
  partnerId: Scalars['String']['input'];
  /** Whether its tokens must have the claim scope; default true. */
  requireScope?: InputMaybe<Scalars['Boolean']['input']>;
  /** Whether its tokens must have the header typ; default true. */
  requireTyp?: InputMaybe<Scalars['Boolean']['input']>;
  /** What its tokens allow. */
  scopes: Array<PartnerScope>;
  /** Verifiers whose programs it may run; default: none. */
  verifierIds?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** The new content of a program; replaces the whole entry. */
export type PutProgramInput = {
  /** The credentials it accepts: any one of them is enough. */
  acceptedCredentials: Array<AcceptedCredentialInput>;
  /** Whether it also asks for the compliance access key, which all its credentials must have. */
  cak?: InputMaybe<Scalars['Boolean']['input']>;
  /** When it was created; default: unchanged, or now for a new entry. */
  createdAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** What the program is for. */
  description: Scalars['String']['input'];
  /** Whether wallets of others may be asked to disclose values that the conditions do not state. */
  disclose?: InputMaybe<Scalars['Boolean']['input']>;
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the entry does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** How many Compliant verifications one holder may have; default: any number. */
  maxPerHolder?: InputMaybe<Scalars['Int']['input']>;
  /** Name of the program. */
  name: Scalars['String']['input'];
  /** Pricing model label. */
  pricingModel: Scalars['String']['input'];
  /** Id of the program: 1 to 500 printable characters without white space. */
  programId: Scalars['String']['input'];
  /** Its verifier. */
  verifierId: Scalars['String']['input'];
};

/** The result of writing an entry. */
export type PutResult =
  /** There was no such entry, or it had been retired. */
  | 'CREATED'
  /** The entry already had this content; nothing was written. */
  | 'UNCHANGED'
  /** The entry was replaced. */
  | 'UPDATED';

/** The new content of a schema: a JSON Schema document, or title, description and data points. Different content becomes a new version. */
export type PutSchemaInput = {
  /** The fields that an issuer attests. */
  dataPoints?: InputMaybe<Array<DataPointInput>>;
  /** What credentials of this schema state. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the entry does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** A JSON Schema document of the credential, stored unchanged. */
  jsonSchema?: InputMaybe<Scalars['JSON']['input']>;
  /** Id of the schema: 1 to 500 printable characters without white space. */
  schemaId: Scalars['String']['input'];
  /** Title of the schema. */
  title?: InputMaybe<Scalars['String']['input']>;
};

/** The new content of a verifier; replaces the whole entry. */
export type PutVerifierInput = {
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** `*`: write only if the entry does not exist yet. */
  ifNoneMatch?: InputMaybe<Scalars['String']['input']>;
  /** Name of the verifier. */
  name: Scalars['String']['input'];
  /** Decentralized identifier of the verifier; no other verifier may have it. */
  verifierDid: Scalars['String']['input'];
  /** Id of the verifier: 1 to 500 printable characters without white space. */
  verifierId: Scalars['String']['input'];
  /** What others attest about it, which wallets are sent with its requests: a list of `{format, data}`. */
  verifierInfo?: InputMaybe<Scalars['JSON']['input']>;
};

/** Whether the e-mail address already had a holder. */
export type RecipientStatus =
  /** It had one. */
  | 'EXISTING'
  /** It had none: a holder was created. */
  | 'NEW';

/** The result of minting a core id: the core id, or why it could not be minted. */
export type RecordCoreIdInput = {
  /** The record. */
  coreId?: InputMaybe<CoreIdInput>;
  /** Why it could not be minted; the core id is then removed. */
  errorMessage?: InputMaybe<Scalars['String']['input']>;
  /** userId of the holder. */
  holderId: Scalars['String']['input'];
};

/** What to send again: either field. */
export type RedeliverWebhookInput = {
  /** One delivery. */
  deliveryId?: InputMaybe<Scalars['ID']['input']>;
  /** All deliveries of an event. */
  eventId?: InputMaybe<Scalars['ID']['input']>;
};

/** The public half of a holder's CAK. */
export type RegisterCakInput = {
  /** Its curve. */
  curve: CakCurve;
  /** For credentials of this issuer. */
  issuerId: Scalars['String']['input'];
  /** SEC1, compressed, 66 hex digits. The private half stays with the holder. */
  publicKey: Scalars['String']['input'];
  /** For credentials on this schema. */
  schemaId: Scalars['String']['input'];
};

/** An endpoint to register. */
export type RegisterWebhookInput = {
  /** Whether another webhook may send some of the types to this address already; default false. */
  allowDuplicate?: InputMaybe<Scalars['Boolean']['input']>;
  /** A note of at most 500 characters. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Event types, as in GET /v1/events. */
  types: Array<Scalars['String']['input']>;
  /** An https address, at most 2,000 characters. */
  url: Scalars['String']['input'];
};

/** A passkey to remove. */
export type RemovePasskeyInput = {
  /** Its id. */
  passkeyId: Scalars['String']['input'];
};

/** The holder, by userId, DID or e-mail address. */
export type ResetMfaInput = {
  /** Its DID. */
  did?: InputMaybe<Scalars['String']['input']>;
  /** Its e-mail address. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** Its userId. */
  userId?: InputMaybe<Scalars['ID']['input']>;
};

/** Which credential to retire. */
export type RetireCredentialInput = {
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
};

/** Which issuer to retire. */
export type RetireIssuerInput = {
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** Id of the issuer. */
  issuerId: Scalars['String']['input'];
};

/** Which partner to retire. */
export type RetirePartnerInput = {
  /** Write only if the record still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** Id of the partner. */
  partnerId: Scalars['String']['input'];
};

/** Which program to retire. */
export type RetireProgramInput = {
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** Id of the program. */
  programId: Scalars['String']['input'];
};

/** Which schema to retire. */
export type RetireSchemaInput = {
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** Id of the schema. */
  schemaId: Scalars['String']['input'];
};

/** Which verifier to retire. */
export type RetireVerifierInput = {
  /** Write only if the entry still has this etag; `*`: only if it exists. */
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  /** Id of the verifier. */
  verifierId: Scalars['String']['input'];
};

/** The status of an issuance that is not revoked. */
export type RevocableStatus =
  /** Expired. */
  | 'EXPIRE'
  /** Valid, and on the chain. */
  | 'ONCHAIN'
  /** Valid, and not on the chain yet. */
  | 'WAIT_ONCHAIN';

/** The state of a revocation by filter. */
export type RevocationJobState =
  /** Done; the status lists show all revocations. */
  | 'FINISHED'
  /** In progress; the status lists do not show its revocations yet. */
  | 'RUNNING';

/** An issuance to revoke, by its claim hash or its nonce (operator only). */
export type RevokeCredentialInput = {
  /** Hash of the claim. */
  coreClaimHash?: InputMaybe<Scalars['String']['input']>;
  /** Revocation nonce, decimal. */
  nonce?: InputMaybe<Scalars['String']['input']>;
};

/** The verdict of a rule. */
export type RuleVerdict =
  /** It allows the operation. */
  | 'ALLOWED'
  /** It forbids the operation. */
  | 'FORBIDDEN'
  /** A fact is missing, so it could not be checked. */
  | 'UNKNOWN';

/** The order of a list of schemas. Entries with equal values are ordered by id. */
export type SchemaOrder = {
  /** The direction; default DESC, or ASC for names and titles. */
  direction?: InputMaybe<OrderDirection>;
  /** What to order by. */
  field: SchemaOrderField;
};

/** What schemas can be ordered by. */
export type SchemaOrderField =
  /** By when it entered the catalog. */
  | 'CREATED'
  /** By how many issuers have credentials on it. */
  | 'ISSUER_COUNT'
  /** By popularity: credentials built on it. */
  | 'POPULARITY'
  /** By title; case and accents are ignored. */
  | 'TITLE';

/** A filter of schemas; all given fields must match. */
export type SchemaWhere = {
  /** When it entered the catalog. Only in the order CREATED. */
  createdAt?: InputMaybe<DateTimeFilter>;
  /** Credentials built on it. Only in the order POPULARITY. */
  credentialCount?: InputMaybe<IntFilter>;
  /** Issuers that have credentials on it. Only in the order ISSUER_COUNT. */
  issuerCount?: InputMaybe<IntFilter>;
  /** Its own id. */
  schemaId?: InputMaybe<TextFilter>;
  /** Its title. */
  title?: InputMaybe<NameFilter>;
};

/** The kinds of entries that can be searched. */
export type SearchType =
  /** Credentials, by their names, categories, issuers and schema titles. */
  | 'CREDENTIAL'
  /** Issuers. */
  | 'ISSUER'
  /** Verification programs. */
  | 'PROGRAM';

/** New display settings of a session; missing ones stay unchanged. */
export type SessionConfigInput = {
  /** Currency for amounts. */
  currency?: InputMaybe<SupportedCurrencyCode>;
  /** Language tag, BCP 47. */
  locale?: InputMaybe<Scalars['String']['input']>;
};

/** The holder's public signing key. */
export type SetSigningKeyInput = {
  /** A P-256 public key (RFC 7517): kty, crv, x, y. */
  jwk: Scalars['JSON']['input'];
};

/** The claim that a self-signing issuer has signed. */
export type SignedClaimInput = {
  /** Hash of the claim, 64 hex digits in lower case. */
  coreClaimHash: Scalars['String']['input'];
  /** Id of the credential. */
  credentialId: Scalars['String']['input'];
  /** DID of the issuer. */
  issuerDid: Scalars['String']['input'];
  /** Random number of 64 bits, decimal. */
  revocationNonce: Scalars['String']['input'];
  /** Version of the schema; default: the credential's. */
  schemaVersion?: InputMaybe<Scalars['Int']['input']>;
};

/** A verification to start. */
export type StartVerificationInput = {
  /** For 24 hours, the same key gets the first response again. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** The program. */
  programId: Scalars['String']['input'];
  /** Where the holder goes afterwards; its origin must be one of allowedOrigins. */
  redirectUrl?: InputMaybe<Scalars['String']['input']>;
  /** userId of the holder; default: the first holder to fetch the request. */
  userId?: InputMaybe<Scalars['String']['input']>;
  /** Asks a wallet of others (OpenID4VP); default: the holder answers here. */
  wallet?: InputMaybe<VerificationWalletInput>;
};

/** A credential that its issuer signed and encrypted to the holder. */
export type StoreCredentialInput = {
  /** Authentication tag of 16 bytes, base64. */
  authTag: Scalars['String']['input'];
  /** The claim in the package. With it, the package has a status and counts as issued; without it, it is only stored. */
  claim?: InputMaybe<SignedClaimInput>;
  /** Ciphertext, base64. */
  data: Scalars['String']['input'];
  /** Ephemeral X25519 public key, SPKI DER, base64. */
  encryptedKey: Scalars['String']['input'];
  /** When it expires; null: never. */
  expiresAt?: InputMaybe<Scalars['DateTime']['input']>;
  /** The partner's own id for it. */
  externalId: Scalars['String']['input'];
  /** DID of the holder. */
  holderDid: Scalars['String']['input'];
  /** For 24 hours, requests with the same key get the first response again. */
  idempotencyKey?: InputMaybe<Scalars['String']['input']>;
  /** IV of 12 bytes, base64. */
  iv: Scalars['String']['input'];
  /** Its proof type; default BJJ_SIG_2021. */
  proofType?: InputMaybe<Scalars['String']['input']>;
  /** Id of the schema. */
  schemaId: Scalars['String']['input'];
};

/** A filter of packages; all given fields must match. */
export type StoredPackageWhere = {
  /** By the partner's own id. */
  externalId?: InputMaybe<TextFilter>;
  /** By the DID of the holder. */
  holderDid?: InputMaybe<TextFilter>;
  /** By schema. */
  schemaId?: InputMaybe<TextFilter>;
};

/** A currency, by ISO 4217. */
export type SupportedCurrencyCode =
  /** Renminbi. */
  | 'CNY'
  /** Euro. */
  | 'EUR'
  /** Won. */
  | 'KRW'
  /** Turkish lira. */
  | 'TRY'
  /** US dollar. */
  | 'USD';

/** Compares a text; all given operators must hold. */
export type TextFilter = {
  /** Exactly this text. */
  eq?: InputMaybe<Scalars['String']['input']>;
  /** Any of these texts, at most 100. */
  in?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** The length of buckets. A bucket is longer if fewer than 5 holders were new. */
export type TractionBucketSize =
  /** A day. */
  | 'DAY'
  /** A month. */
  | 'MONTH'
  /** A week that begins on Monday. */
  | 'WEEK';

/** Who passes the transaction code, which a wallet asks its user for, to the recipient. */
export type TxCode =
  /** The gateway mails it. */
  | 'MAIL'
  /** Nobody: there is none. Such an offer is open for at most 600 seconds. */
  | 'NONE'
  /** The partner: the response has it. */
  | 'PARTNER';

/** A filter of verification events; all given fields must match. */
export type VerificationEventWhere = {
  /** By program. */
  programId?: InputMaybe<TextFilter>;
  /** By status. */
  status?: InputMaybe<TextFilter>;
};

/** A wallet of others answers. */
export type VerificationWalletInput = {
  /** How it gets the request, and responds. */
  flow: WalletFlow;
};

/** The order of a list of verifiers. Entries with equal values are ordered by id. */
export type VerifierOrder = {
  /** The direction; default DESC, or ASC for names and titles. */
  direction?: InputMaybe<OrderDirection>;
  /** What to order by. */
  field: VerifierOrderField;
};

/** What verifiers can be ordered by. */
export type VerifierOrderField =
  /** By when it entered the catalog. */
  | 'CREATED'
  /** By name; case and accents are ignored. */
  | 'NAME'
  /** By popularity: programs. */
  | 'POPULARITY';

/** A filter of verifiers; all given fields must match. */
export type VerifierWhere = {
  /** When it entered the catalog. Only in the order CREATED. */
  createdAt?: InputMaybe<DateTimeFilter>;
  /** Its name. */
  name?: InputMaybe<NameFilter>;
  /** Programs it runs. Only in the order POPULARITY. */
  programCount?: InputMaybe<IntFilter>;
  /** Its decentralized identifier. */
  verifierDid?: InputMaybe<TextFilter>;
  /** Its own id. */
  verifierId?: InputMaybe<TextFilter>;
};

/** The mailed code, or the signature of the account. */
export type VerifyLoginInput = {
  /** Six digits. */
  code?: InputMaybe<Scalars['String']['input']>;
  /** Which login. */
  loginId: Scalars['String']['input'];
  /** A random secret of the client, for responses that are lost: for 60 seconds, the same request with the same key gets another token of the session that it opened. Without one, a code or signature can be used once. */
  repeatKey?: InputMaybe<Scalars['String']['input']>;
  /** The signature of the message from login, in hex with 0x: by a key (EIP-191 personal_sign) or by a contract (ERC-1271, ERC-6492). */
  signature?: InputMaybe<Scalars['String']['input']>;
};

/** The account to be registered. */
export type WalletChallengeInput = {
  /** Its address: 0x and 40 hex digits. */
  address: Scalars['String']['input'];
};

/** How a wallet of others gets a request, and responds. */
export type WalletFlow =
  /** By a QR code that another device shows. */
  | 'CROSS_DEVICE'
  /** By the browser's Digital Credentials API. */
  | 'DC_API'
  /** By a link on the device of the wallet, which then opens the redirectUrl. */
  | 'SAME_DEVICE';

/** How strictly wallets of others are checked. */
export type WalletProfile =
  /** OpenID4VC High Assurance Interoperability Profile: attested wallets and keys, by a login of the holder. */
  | 'HAIP'
  /** No wallet gets any. */
  | 'OFF'
  /** Any wallet may take credentials; what it attests is checked if it does. */
  | 'OPEN';

/** The state of a delivery. */
export type WebhookDeliveryState =
  /** It is not tried again. */
  | 'DEAD'
  /** The receiver responded with 2xx. */
  | 'DELIVERED'
  /** It waits for its first or next attempt. */
  | 'PENDING';

/** Why an endpoint is disabled. */
export type WebhookDisabledReason =
  /** Every attempt of three days failed. */
  | 'FAILING'
  /** It responded with 410. */
  | 'GONE';

/** Which webhook. */
export type WebhookInput = {
  /** Its id. */
  webhookId: Scalars['ID']['input'];
};

/** Whether an endpoint is called. */
export type WebhookState =
  /** It responded with 410, or failed for three days. A successful test ping enables it again. */
  | 'DISABLED'
  /** It is called. */
  | 'ENABLED';

/** The health of an endpoint. */
export type WebhookStatus =
  /** It is not called: see `disabledReason`. */
  | 'DISABLED'
  /** The last attempt failed. */
  | 'FAILING'
  /** The last attempt succeeded. */
  | 'HEALTHY'
  /** Nothing has been sent to it yet. */
  | 'UNTESTED';

/** Which offer to withdraw. */
export type WithdrawOfferInput = {
  /** Id of the offer. */
  offerId: Scalars['String']['input'];
};

/** A BBS key that a self-signing issuer signs provable credentials with. */
export type ZkKeyInput = {
  /** Its name, which always stands for this key. */
  kid: Scalars['String']['input'];
  /** z-base58 of 0xeb01 and the 96 bytes of the key. */
  publicKeyMultibase: Scalars['String']['input'];
};

export type PopularQueryVariables = Exact<{
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type PopularQuery = { credentials: { totalCount: number, pageInfo: { endCursor?: string | null }, nodes: Array<{ name: string, issuer: { name: string }, traction: { holderCount: number }, programs: { nodes: Array<{ name: string, verifier: { name: string }, acceptedCredentials: Array<{ verificationConditions: Array<string> }> }> } }> } };

export type CatalogChangesSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type CatalogChangesSubscription = { catalogChanged: { id: string, changes: Array<{ type: string, kind: string, entryId: string, node?:
        | { __typename: 'Credential', name: string, issuer: { name: string } }
        | { __typename: 'Issuer' }
        | { __typename: 'Program' }
        | { __typename: 'Schema' }
        | { __typename: 'Verifier', name: string, verifierDid: string }
       | null }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const PopularDocument = {"__meta__":{"hash":"c7809a0ab4862d4b4a9ec3916309e018fb079d6d67093433c7403a17e8c459a1"}} as unknown as TypedDocumentString<PopularQuery, PopularQueryVariables>;
export const CatalogChangesDocument = {"__meta__":{"hash":"9c5cdd31200d53710b52adb6b5bb33a12019499c73606326886c9b84c7d081a3"}} as unknown as TypedDocumentString<CatalogChangesSubscription, CatalogChangesSubscriptionVariables>;