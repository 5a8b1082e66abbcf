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

export type CatalogChangesSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type CatalogChangesSubscription = { catalogChanged: { id: string, changes: Array<{ kind: string, type: string, entryId: string }> } };

export type CallerQueryVariables = Exact<{ [key: string]: never; }>;


export type CallerQuery = { whoAmI: { kind: CallerKind } };

export type WhereFragment = { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null };

export type CredentialPageQueryVariables = Exact<{
  id: Scalars['String']['input'];
  from: Scalars['String']['input'];
  to: Scalars['String']['input'];
  bucket: TractionBucketSize;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type CredentialPageQuery = { credential?: { credentialId: string, name: string, category: string, cak: boolean, createdAt: string, firstIssuedAt?: string | null, lastIssuedAt?: string | null, expirationDuration?: number | null, accessibleStart?: string | null, accessibleEnd?: string | null, schemaVersion: number, issuer: { issuerId: string, name: string, issuerFrom: string, issuerDid: string }, schema: { schemaId: string, title: string, version: number }, dataPoints: Array<{ name: string, title: string, type: string, description: string, isRequired: boolean }>, traction: { holderCount: number, issuanceCount: number, verificationCount: number, demandCount: number, series: Array<{ from: string, to: string, holders: number, issued: number }> }, opens: Array<{ unconditional: boolean, program: { programId: string, name: string } }>, programs: { totalCount: number, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } }> }, origin?: { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null } | null } | null };

export type ProgramPageQueryVariables = Exact<{
  id: Scalars['String']['input'];
  from: Scalars['String']['input'];
  to: Scalars['String']['input'];
  bucket: TractionBucketSize;
}>;


export type ProgramPageQuery = { program?: { programId: string, name: string, description: string, pricingModel: string, createdAt: string, provable: boolean, unprovable: Array<{ credentialId: string, condition?: string | null, why: string }>, verifier: { verifierId: string, name: string, verifierDid: string }, traction: { verificationCount: number, verifiedHolderCount: number, series: Array<{ from: string, to: string, holders: number, verified: number }> }, acceptedCredentials: Array<{ verificationConditions: Array<string>, conditions?: Array<{ field: string, operator: string, values: Array<unknown> }> | null, credential: { credentialId: string, name: string, dataPoints: Array<{ name: string, title: string, type: string }>, issuer: { issuerId: string, name: string }, traction: { holderCount: number } } }>, origin?: { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null } | null } | null };

export type IssuerPageQueryVariables = Exact<{
  id: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type IssuerPageQuery = { issuer?: { issuerId: string, name: string, issuerFrom: string, issuerDid: string, createdAt: string, traction: { holderCount: number, issuanceCount: number, verificationCount: number }, credentials: { totalCount: number, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } }> }, origin?: { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null } | null } | null };

export type SchemaPageQueryVariables = Exact<{
  id: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type SchemaPageQuery = { schema?: { schemaId: string, title: string, description: string, version: number, createdAt: string, credentialCount: number, issuerCount: number, dataPoints: Array<{ name: string, title: string, type: string, description: string, isRequired: boolean }>, issuers: { totalCount: number, nodes: Array<{ issuerId: string, name: string, issuerFrom: string, traction: { holderCount: number, issuanceCount: number } }> }, credentials: { totalCount: number, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } }> }, origin?: { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null } | null } | null };

export type VerifierPageQueryVariables = Exact<{
  id: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type VerifierPageQuery = { verifier?: { verifierId: string, name: string, verifierDid: string, createdAt: string, programs: { totalCount: number, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } }> }, origin?: { source: string, sourceId: string, editedAt?: string | null, missingSince?: string | null } | null } | null };

export type PageOfListFragment = { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean };

export type CredentialLineFragment = { credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } };

export type ProgramLineFragment = { programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } };

export type IssuerLineFragment = { issuerId: string, name: string, issuerFrom: string, traction: { holderCount: number, issuanceCount: number } };

export type CredentialsQueryVariables = Exact<{
  where?: InputMaybe<CredentialWhere>;
  orderBy?: InputMaybe<CredentialOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
}>;


export type CredentialsQuery = { credentials: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } }> } };

export type ProgramsQueryVariables = Exact<{
  where?: InputMaybe<ProgramWhere>;
  orderBy?: InputMaybe<ProgramOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
}>;


export type ProgramsQuery = { programs: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } }> } };

export type IssuersQueryVariables = Exact<{
  where?: InputMaybe<IssuerWhere>;
  orderBy?: InputMaybe<IssuerOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
}>;


export type IssuersQuery = { issuers: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ issuerId: string, name: string, issuerFrom: string, traction: { holderCount: number, issuanceCount: number } }> } };

export type SchemasQueryVariables = Exact<{
  where?: InputMaybe<SchemaWhere>;
  orderBy?: InputMaybe<SchemaOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
}>;


export type SchemasQuery = { schemas: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ schemaId: string, title: string, description: string, version: number, credentialCount: number, issuerCount: number }> } };

export type VerifiersQueryVariables = Exact<{
  where?: InputMaybe<VerifierWhere>;
  orderBy?: InputMaybe<VerifierOrder>;
  first?: InputMaybe<Scalars['Int']['input']>;
  after?: InputMaybe<Scalars['String']['input']>;
  last?: InputMaybe<Scalars['Int']['input']>;
  before?: InputMaybe<Scalars['String']['input']>;
}>;


export type VerifiersQuery = { verifiers: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ verifierId: string, name: string, verifierDid: string, programs: { totalCount: number } }> } };

export type OpenedQueryVariables = Exact<{
  id: Scalars['String']['input'];
}>;


export type OpenedQuery = { credential?: { credentialId: string, name: string, opens: Array<{ unconditional: boolean, program: { programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } } }>, programs: { nodes: Array<{ programId: string, name: string }> } } | null };

export type PlanQueryVariables = Exact<{
  programId: Scalars['String']['input'];
  holding: Array<Scalars['String']['input']> | Scalars['String']['input'];
}>;


export type PlanQuery = { verificationPlan: { result: PlanResult, credentials: Array<{ credentialId: string, state: PlanState, obtainable: boolean }> } };

export type SearchQueryVariables = Exact<{
  query: Scalars['String']['input'];
}>;


export type SearchQuery = { search: { totalResults: number, credentials: { total: number, items: Array<{ credential: { credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } } }> }, programs: { total: number, items: Array<{ program: { programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } } }> }, issuers: { total: number, items: Array<{ issuer: { issuerId: string, name: string, issuerFrom: string, traction: { holderCount: number, issuanceCount: number } } }> } } };

export type PopularQueryVariables = Exact<{ [key: string]: never; }>;


export type PopularQuery = { credentials: { totalCount: number, nodes: Array<{ credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } }> }, demanded: { nodes: Array<{ credentialId: string, name: string, category: string, issuer: { issuerId: string, name: string }, traction: { holderCount: number, demandCount: number } }> }, programs: { totalCount: number, nodes: Array<{ programId: string, name: string, description: string, pricingModel: string, credentialCount: number, verifier: { verifierId: string, name: string }, traction: { verificationCount: number } }> }, issuers: { totalCount: number }, schemas: { totalCount: number }, verifiers: { totalCount: number } };

export type PutIssuerMutationVariables = Exact<{
  input: PutIssuerInput;
}>;


export type PutIssuerMutation = { putIssuer: { result: PutResult, etag: string } };

export type PutVerifierMutationVariables = Exact<{
  input: PutVerifierInput;
}>;


export type PutVerifierMutation = { putVerifier: { result: PutResult, etag: string } };

export type PutSchemaMutationVariables = Exact<{
  input: PutSchemaInput;
}>;


export type PutSchemaMutation = { putSchema: { result: PutResult, etag: string } };

export type PutCredentialMutationVariables = Exact<{
  input: PutCredentialInput;
}>;


export type PutCredentialMutation = { putCredential: { result: PutResult, etag: string } };

export type PutProgramMutationVariables = Exact<{
  input: PutProgramInput;
}>;


export type PutProgramMutation = { putProgram: { result: PutResult, etag: string } };

export type RetireIssuerMutationVariables = Exact<{
  input: RetireIssuerInput;
}>;


export type RetireIssuerMutation = { retireIssuer: { retiredId: string } };

export type RetireVerifierMutationVariables = Exact<{
  input: RetireVerifierInput;
}>;


export type RetireVerifierMutation = { retireVerifier: { retiredId: string } };

export type RetireSchemaMutationVariables = Exact<{
  input: RetireSchemaInput;
}>;


export type RetireSchemaMutation = { retireSchema: { retiredId: string } };

export type RetireCredentialMutationVariables = Exact<{
  input: RetireCredentialInput;
}>;


export type RetireCredentialMutation = { retireCredential: { retiredId: string } };

export type RetireProgramMutationVariables = Exact<{
  input: RetireProgramInput;
}>;


export type RetireProgramMutation = { retireProgram: { retiredId: string } };

export type ImpactQueryVariables = Exact<{
  input: PutSchemaInput;
}>;


export type ImpactQuery = { schemaImpact: { reissue: number, breaks: Array<{ programId: string, credentialId: string, condition: string, why: string }> } };

export type PlannedSchemaQueryVariables = Exact<{
  id: Scalars['String']['input'];
  input: PutSchemaInput;
}>;


export type PlannedSchemaQuery = { schema?: { title: string } | null, schemaImpact: { reissue: number, breaks: Array<{ programId: string }> } };

export type PointsOfQueryVariables = Exact<{
  id: Scalars['String']['input'];
}>;


export type PointsOfQuery = { credential?: { name: string, dataPoints: Array<{ name: string, title: string, type: string }> } | null };

export type DependentsQueryVariables = Exact<{
  id: Scalars['String']['input'];
  isIssuer: Scalars['Boolean']['input'];
  isSchema: Scalars['Boolean']['input'];
  isVerifier: Scalars['Boolean']['input'];
  isCredential: Scalars['Boolean']['input'];
}>;


export type DependentsQuery = { issuer?: { credentials: { totalCount: number, nodes: Array<{ credentialId: string, name: string }> } } | null, schema?: { credentials: { totalCount: number, nodes: Array<{ credentialId: string, name: string }> } } | null, verifier?: { programs: { totalCount: number, nodes: Array<{ programId: string, name: string }> } } | null, credential?: { programs: { totalCount: number, nodes: Array<{ programId: string, name: string }> } } | null };

export type MirrorsQueryVariables = Exact<{ [key: string]: never; }>;


export type MirrorsQuery = { mirrors: Array<{ source: string, state: MirrorState, startedAt: string, finishedAt?: string | null, phase: MirrorPhase, page: number, created: number, updated: number, unchanged: number, refused: number, kept: number, missing: number, message?: string | null }> };

export type EraseHolderMutationVariables = Exact<{
  input: EraseHolderInput;
}>;


export type EraseHolderMutation = { eraseHolder: { erasure: { erasureId: string, state: ErasureState } } };

export type ErasureStateQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;


export type ErasureStateQuery = { erasure: { state: ErasureState, createdAt: string, doneAt?: string | null } };

export type OperatorHomeQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorHomeQuery = { whoAmI: { kind: CallerKind, role?: OperatorKeyRole | null, keyName?: string | null } };

export type TroubleQueryVariables = Exact<{ [key: string]: never; }>;


export type TroubleQuery = { chainJobs: Array<{ jobId: string }>, mirrors: Array<{ source: string, state: MirrorState }> };

export type PartnersQueryVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type PartnersQuery = { partners: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ partnerId: string, name: string, scopes: Array<PartnerScope>, allowedOrigins: Array<string>, keySetProblem?: string | null }> } };

export type PutPartnerMutationVariables = Exact<{
  input: PutPartnerInput;
}>;


export type PutPartnerMutation = { putPartner: { result: PartnerPutResult, etag: string } };

export type RetirePartnerMutationVariables = Exact<{
  input: RetirePartnerInput;
}>;


export type RetirePartnerMutation = { retirePartner: { retiredId: string } };

export type AuditLogQueryVariables = Exact<{
  where?: InputMaybe<AuditWhere>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type AuditLogQuery = { auditEntries: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ id: string, seq?: number | null, at: string, actor: string, kid?: string | null, operation: string, outcome: string, subjects: Array<string>, before?: unknown | null, after?: unknown | null, hash?: string | null }> } };

export type ChainJobFactsFragment = { jobId: string, kind: string, state: ChainJobState, createdAt: string, txHash?: string | null, errorMessage?: string | null, story: Array<{ at: string, what: string }> };

export type ChainJobsQueryVariables = Exact<{
  states?: InputMaybe<Array<ChainJobState> | ChainJobState>;
}>;


export type ChainJobsQuery = { chainJobs: Array<{ jobId: string, kind: string, state: ChainJobState, createdAt: string, txHash?: string | null, errorMessage?: string | null, story: Array<{ at: string, what: string }> }> };

export type RetryJobMutationVariables = Exact<{
  input: ChainJobInput;
}>;


export type RetryJobMutation = { retryChainJob: { job: { jobId: string, kind: string, state: ChainJobState, createdAt: string, txHash?: string | null, errorMessage?: string | null, story: Array<{ at: string, what: string }> } } };

export type GiveUpJobMutationVariables = Exact<{
  input: ChainJobInput;
}>;


export type GiveUpJobMutation = { giveUpChainJob: { job: { jobId: string, kind: string, state: ChainJobState, createdAt: string, txHash?: string | null, errorMessage?: string | null, story: Array<{ at: string, what: string }> } } };

export type OperatorKeysQueryVariables = Exact<{ [key: string]: never; }>;


export type OperatorKeysQuery = { operatorKeys: Array<{ name: string, role: OperatorKeyRole, createdAt: string, previousUntil?: string | null, withdrawnAt?: string | null }> };

export type NewKeyMutationVariables = Exact<{
  input: CreateOperatorKeyInput;
}>;


export type NewKeyMutation = { createOperatorKey: { key: string, operatorKey: { name: string } } };

export type RotateKeyMutationVariables = Exact<{
  input: OperatorKeyInput;
}>;


export type RotateKeyMutation = { rotateOperatorKey: { key: string, operatorKey: { name: string } } };

export type WithdrawKeyMutationVariables = Exact<{
  input: OperatorKeyInput;
}>;


export type WithdrawKeyMutation = { withdrawOperatorKey: { operatorKey: { name: string } } };

export type PartnerWebhookFactsFragment = { webhookId: string, partnerId: string, origin: string, types: Array<string>, pausedAt?: string | null, health: { status: WebhookStatus, pending: number, dead: number, failingSince?: string | null, lastSuccessAt?: string | null, disabledReason?: WebhookDisabledReason | null } };

export type PartnerWebhooksQueryVariables = Exact<{
  status?: InputMaybe<PartnerWebhookFilter>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type PartnerWebhooksQuery = { partnerWebhooks: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor?: string | null }, nodes: Array<{ webhookId: string, partnerId: string, origin: string, types: Array<string>, pausedAt?: string | null, health: { status: WebhookStatus, pending: number, dead: number, failingSince?: string | null, lastSuccessAt?: string | null, disabledReason?: WebhookDisabledReason | null } }> } };

export type LastCallsQueryVariables = Exact<{
  webhookId: Scalars['ID']['input'];
}>;


export type LastCallsQuery = { partnerWebhookDeliveries: { nodes: Array<{ deliveryId: string, type: string, state: WebhookDeliveryState, reason?: string | null, attempts: Array<{ at: string, status?: number | null, answer?: string | null, error?: string | null }> }> } };

export type PauseWebhookMutationVariables = Exact<{
  input: WebhookInput;
}>;


export type PauseWebhookMutation = { pauseWebhook: { webhook: { webhookId: string, pausedAt?: string | null } } };

export type ResumeWebhookMutationVariables = Exact<{
  input: WebhookInput;
}>;


export type ResumeWebhookMutation = { resumeWebhook: { webhook: { webhookId: string, pausedAt?: string | null } } };

export type BatchFactsFragment = { jobId: string, state: BatchState, dryRun: boolean, credentialId: string, createdAt: string, finishedAt?: string | null, progress: { total: number, waiting: number, issued: number, checked: number, held: number, failed: number, cancelled: number } };

export type BatchPageQueryVariables = Exact<{
  jobId: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type BatchPageQuery = { batch: { jobId: string, state: BatchState, dryRun: boolean, credentialId: string, createdAt: string, finishedAt?: string | null, rows: { pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ rowKey: string, state: BatchRowState, coreClaimHash?: string | null, error?: { code: string, message?: string | null } | null }> }, progress: { total: number, waiting: number, issued: number, checked: number, held: number, failed: number, cancelled: number } } };

export type BatchResultsQueryVariables = Exact<{
  jobId: Scalars['String']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type BatchResultsQuery = { batch: { rows: { pageInfo: { hasNextPage: boolean, endCursor?: string | null }, nodes: Array<{ rowKey: string, state: BatchRowState, coreClaimHash?: string | null, userUuid?: string | null, held?: boolean | null, error?: { code: string, message?: string | null } | null }> } } };

export type OwnBatchesQueryVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type OwnBatchesQuery = { batches: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ jobId: string, state: BatchState, dryRun: boolean, credentialId: string, total: number, createdAt: string, finishedAt?: string | null }> } };

export type StartBatchMutationVariables = Exact<{
  input: IssueOnBehalfBatchInput;
}>;


export type StartBatchMutation = { issueOnBehalfBatch: { job: { jobId: string, state: BatchState, dryRun: boolean, credentialId: string, createdAt: string, finishedAt?: string | null, progress: { total: number, waiting: number, issued: number, checked: number, held: number, failed: number, cancelled: number } } } };

export type CancelBatchMutationVariables = Exact<{
  input: BatchInput;
}>;


export type CancelBatchMutation = { cancelBatch: { job: { jobId: string, state: BatchState, dryRun: boolean, credentialId: string, createdAt: string, finishedAt?: string | null, progress: { total: number, waiting: number, issued: number, checked: number, held: number, failed: number, cancelled: number } } } };

export type RetryBatchMutationVariables = Exact<{
  input: BatchInput;
}>;


export type RetryBatchMutation = { retryBatch: { job: { jobId: string, state: BatchState, dryRun: boolean, credentialId: string, createdAt: string, finishedAt?: string | null, progress: { total: number, waiting: number, issued: number, checked: number, held: number, failed: number, cancelled: number } } } };

export type BatchFollowedSubscriptionVariables = Exact<{
  jobId: Scalars['String']['input'];
}>;


export type BatchFollowedSubscription = { batchProgress: { state: BatchState, done: number, failed: number, total: number } };

export type PartnerHomeQueryVariables = Exact<{ [key: string]: never; }>;


export type PartnerHomeQuery = { whoAmI: { kind: CallerKind, partnerId?: string | null, scopes?: Array<PartnerScope> | null, kid?: string | null, expiresAt?: string | null } };

export type WhyQueryVariables = Exact<{
  operation: PartnerOperation;
  issuerDid?: InputMaybe<Scalars['String']['input']>;
  credentialId?: InputMaybe<Scalars['String']['input']>;
  userId?: InputMaybe<Scalars['String']['input']>;
  coreClaimHash?: InputMaybe<Scalars['String']['input']>;
  programId?: InputMaybe<Scalars['String']['input']>;
}>;


export type WhyQuery = { why: { verdict: RuleVerdict, sentence: string, checks: Array<{ rule: string, verdict: RuleVerdict, sentence: string, mend?: string | null }> } };

export type IssueFormQueryVariables = Exact<{
  id: Scalars['String']['input'];
}>;


export type IssueFormQuery = { credential?: { credentialId: string, name: string, issuer: { name: string, issuerDid: string }, dataPoints: Array<{ name: string, title: string, type: string, description: string, isRequired: boolean }> } | null };

export type IssueOneMutationVariables = Exact<{
  input: IssueOnBehalfInput;
}>;


export type IssueOneMutation = { issueOnBehalf: { issuance: { coreClaimHash: string, credentialId: string, userUuid: string } } };

export type IssuanceFactsFragment = { id: string, coreClaimHash: string, credentialId: string, vcStatus: string, createdAt: string, expiresAt?: string | null, revokedAt?: string | null, holderDid: string };

export type OwnIssuancesQueryVariables = Exact<{
  where?: InputMaybe<IssuanceListWhere>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type OwnIssuancesQuery = { issuances: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ id: string, coreClaimHash: string, credentialId: string, vcStatus: string, createdAt: string, expiresAt?: string | null, revokedAt?: string | null, holderDid: string }> } };

export type RevokeOneMutationVariables = Exact<{
  input: RevokeCredentialInput;
}>;


export type RevokeOneMutation = { revokeCredential: { revokedAt: string } };

export type OwnVerificationsQueryVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type OwnVerificationsQuery = { verifications: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ verificationId?: string | null, programId?: string | null, state?: string | null, createdAt?: string | null, decidedAt?: string | null, reason?: string | null, receipt?: string | null, result: { status: string } }> } };

export type WebhookFactsFragment = { webhookId: string, url: string, types: Array<string>, description?: string | null, state: WebhookState, createdAt: string, health: { status: WebhookStatus, pending: number, dead: number, consecutiveFailures: number, failingSince?: string | null, lastSuccessAt?: string | null, lastFailureAt?: string | null, pausedUntil?: string | null, disabledReason?: WebhookDisabledReason | null } };

export type DeliveryFactsFragment = { deliveryId: string, eventId?: string | null, type: string, state: WebhookDeliveryState, createdAt: string, settledAt?: string | null, nextAttemptAt?: string | null, reason?: string | null, payload: string, attempts: Array<{ at: string, status?: number | null, durationMs: number, error?: string | null, answer?: string | null }> };

export type WebhooksQueryVariables = Exact<{ [key: string]: never; }>;


export type WebhooksQuery = { webhooks: Array<{ webhookId: string, url: string, types: Array<string>, description?: string | null, state: WebhookState, createdAt: string, health: { status: WebhookStatus, pending: number, dead: number, consecutiveFailures: number, failingSince?: string | null, lastSuccessAt?: string | null, lastFailureAt?: string | null, pausedUntil?: string | null, disabledReason?: WebhookDisabledReason | null } }> };

export type WebhookPageQueryVariables = Exact<{
  id: Scalars['ID']['input'];
  state?: InputMaybe<WebhookDeliveryState>;
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type WebhookPageQuery = { webhook: { webhookId: string, url: string, types: Array<string>, description?: string | null, state: WebhookState, createdAt: string, health: { status: WebhookStatus, pending: number, dead: number, consecutiveFailures: number, failingSince?: string | null, lastSuccessAt?: string | null, lastFailureAt?: string | null, pausedUntil?: string | null, disabledReason?: WebhookDisabledReason | null } }, webhookDeliveries: { totalCount: number, totalCountIsExact: boolean, pageInfo: { startCursor?: string | null, endCursor?: string | null, hasNextPage: boolean, hasPreviousPage: boolean }, nodes: Array<{ deliveryId: string, eventId?: string | null, type: string, state: WebhookDeliveryState, createdAt: string, settledAt?: string | null, nextAttemptAt?: string | null, reason?: string | null, payload: string, attempts: Array<{ at: string, status?: number | null, durationMs: number, error?: string | null, answer?: string | null }> }> } };

export type AddWebhookMutationVariables = Exact<{
  input: RegisterWebhookInput;
}>;


export type AddWebhookMutation = { registerWebhook: { secret: string, webhook: { webhookId: string } } };

export type PingWebhookMutationVariables = Exact<{
  input: WebhookInput;
}>;


export type PingWebhookMutation = { testWebhook: { delivery: { deliveryId: string, eventId?: string | null, type: string, state: WebhookDeliveryState, createdAt: string, settledAt?: string | null, nextAttemptAt?: string | null, reason?: string | null, payload: string, attempts: Array<{ at: string, status?: number | null, durationMs: number, error?: string | null, answer?: string | null }> } } };

export type RedeliverMutationVariables = Exact<{
  input: RedeliverWebhookInput;
}>;


export type RedeliverMutation = { redeliverWebhook: { deliveries: Array<{ deliveryId: string, state: WebhookDeliveryState }> } };

export type RemoveWebhookMutationVariables = Exact<{
  input: WebhookInput;
}>;


export type RemoveWebhookMutation = { deleteWebhook: { webhookId: string } };

export type IssuancesFollowedSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type IssuancesFollowedSubscription = { issuanceEvents: { id: string, type: string, at: string, coreClaimHash?: string | null, credentialId?: string | null } };

export type VerificationsFollowedSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type VerificationsFollowedSubscription = { verificationEvents: { id: string, type: string, at: string, verificationId: string, programId: string, status: string, reason?: string | null } };

export type ConsentsFollowedSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type ConsentsFollowedSubscription = { cakAuthorized: { id: string, type: string, at: string, userId: string, schemaId: string, verifierDid: string } };

export type DisabledWebhooksFollowedSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['ID']['input']>;
}>;


export type DisabledWebhooksFollowedSubscription = { webhookDisabled: { id: string, type: string, at: string, webhookId: string, reason: string } };

export type RevocationFactsFragment = { jobId: string, state: RevocationJobState, count: number, done: number, revoked: number, revokedBefore: number, initialMatches: number, note?: string | null, startedAt?: string | null, finishedAt?: string | null };

export type PreviewRevocationMutationVariables = Exact<{
  input: PreviewRevocationInput;
}>;


export type PreviewRevocationMutation = { previewRevocation: { token?: string | null, expiresAt?: string | null, count: number, sample: Array<{ id: string, coreClaimHash: string, credentialId: string, vcStatus: string, createdAt: string, expiresAt?: string | null, revokedAt?: string | null, holderDid: string }> } };

export type ConfirmRevocationMutationVariables = Exact<{
  input: ConfirmRevocationInput;
}>;


export type ConfirmRevocationMutation = { confirmRevocation: { job: { jobId: string, state: RevocationJobState, count: number, done: number, revoked: number, revokedBefore: number, initialMatches: number, note?: string | null, startedAt?: string | null, finishedAt?: string | null } } };

export type RevocationPageQueryVariables = Exact<{
  jobId: Scalars['String']['input'];
}>;


export type RevocationPageQuery = { revocationJob: { jobId: string, state: RevocationJobState, count: number, done: number, revoked: number, revokedBefore: number, initialMatches: number, note?: string | null, startedAt?: string | null, finishedAt?: string | null } };

export type RevocationFollowedSubscriptionVariables = Exact<{
  jobId: Scalars['String']['input'];
}>;


export type RevocationFollowedSubscription = { revocationProgress: { state: RevocationJobState, done: number, total: number } };

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
export const WhereFragmentDoc = new TypedDocumentString(`
    fragment Where on Origin {
  source
  sourceId
  editedAt
  missingSince
}
    `, {"fragmentName":"Where"}) as unknown as TypedDocumentString<WhereFragment, unknown>;
export const PageOfListFragmentDoc = new TypedDocumentString(`
    fragment PageOfList on PageInfo {
  startCursor
  endCursor
  hasNextPage
  hasPreviousPage
}
    `, {"fragmentName":"PageOfList"}) as unknown as TypedDocumentString<PageOfListFragment, unknown>;
export const CredentialLineFragmentDoc = new TypedDocumentString(`
    fragment CredentialLine on Credential {
  credentialId
  name
  category
  issuer {
    issuerId
    name
  }
  traction {
    holderCount
    demandCount
  }
}
    `, {"fragmentName":"CredentialLine"}) as unknown as TypedDocumentString<CredentialLineFragment, unknown>;
export const ProgramLineFragmentDoc = new TypedDocumentString(`
    fragment ProgramLine on Program {
  programId
  name
  description
  pricingModel
  credentialCount
  verifier {
    verifierId
    name
  }
  traction {
    verificationCount
  }
}
    `, {"fragmentName":"ProgramLine"}) as unknown as TypedDocumentString<ProgramLineFragment, unknown>;
export const IssuerLineFragmentDoc = new TypedDocumentString(`
    fragment IssuerLine on Issuer {
  issuerId
  name
  issuerFrom
  traction {
    holderCount
    issuanceCount
  }
}
    `, {"fragmentName":"IssuerLine"}) as unknown as TypedDocumentString<IssuerLineFragment, unknown>;
export const ChainJobFactsFragmentDoc = new TypedDocumentString(`
    fragment ChainJobFacts on ChainJob {
  jobId
  kind
  state
  createdAt
  txHash
  errorMessage
  story {
    at
    what
  }
}
    `, {"fragmentName":"ChainJobFacts"}) as unknown as TypedDocumentString<ChainJobFactsFragment, unknown>;
export const PartnerWebhookFactsFragmentDoc = new TypedDocumentString(`
    fragment PartnerWebhookFacts on PartnerWebhook {
  webhookId
  partnerId
  origin
  types
  pausedAt
  health {
    status
    pending
    dead
    failingSince
    lastSuccessAt
    disabledReason
  }
}
    `, {"fragmentName":"PartnerWebhookFacts"}) as unknown as TypedDocumentString<PartnerWebhookFactsFragment, unknown>;
export const BatchFactsFragmentDoc = new TypedDocumentString(`
    fragment BatchFacts on Batch {
  jobId
  state
  dryRun
  credentialId
  createdAt
  finishedAt
  progress {
    total
    waiting
    issued
    checked
    held
    failed
    cancelled
  }
}
    `, {"fragmentName":"BatchFacts"}) as unknown as TypedDocumentString<BatchFactsFragment, unknown>;
export const IssuanceFactsFragmentDoc = new TypedDocumentString(`
    fragment IssuanceFacts on Issuance {
  id
  coreClaimHash
  credentialId
  vcStatus
  createdAt
  expiresAt
  revokedAt
  holderDid
}
    `, {"fragmentName":"IssuanceFacts"}) as unknown as TypedDocumentString<IssuanceFactsFragment, unknown>;
export const WebhookFactsFragmentDoc = new TypedDocumentString(`
    fragment WebhookFacts on Webhook {
  webhookId
  url
  types
  description
  state
  createdAt
  health {
    status
    pending
    dead
    consecutiveFailures
    failingSince
    lastSuccessAt
    lastFailureAt
    pausedUntil
    disabledReason
  }
}
    `, {"fragmentName":"WebhookFacts"}) as unknown as TypedDocumentString<WebhookFactsFragment, unknown>;
export const DeliveryFactsFragmentDoc = new TypedDocumentString(`
    fragment DeliveryFacts on WebhookDelivery {
  deliveryId
  eventId
  type
  state
  createdAt
  settledAt
  nextAttemptAt
  reason
  payload
  attempts {
    at
    status
    durationMs
    error
    answer
  }
}
    `, {"fragmentName":"DeliveryFacts"}) as unknown as TypedDocumentString<DeliveryFactsFragment, unknown>;
export const RevocationFactsFragmentDoc = new TypedDocumentString(`
    fragment RevocationFacts on RevocationJob {
  jobId
  state
  count
  done
  revoked
  revokedBefore
  initialMatches
  note
  startedAt
  finishedAt
}
    `, {"fragmentName":"RevocationFacts"}) as unknown as TypedDocumentString<RevocationFactsFragment, unknown>;
export const CatalogChangesDocument = {"__meta__":{"hash":"b864618a556736a1e2f1e464649fa89005d97b9a8fe4edd0e567f63c10decd8f"}} as unknown as TypedDocumentString<CatalogChangesSubscription, CatalogChangesSubscriptionVariables>;
export const CallerDocument = {"__meta__":{"hash":"3a21c27107e35e5973deb2a6ee059ffadb748f36ab495e41e273ecdebd0b0484"}} as unknown as TypedDocumentString<CallerQuery, CallerQueryVariables>;
export const CredentialPageDocument = {"__meta__":{"hash":"e9b00e6eeecc23b8cff773ae248ccdb45d01d3fba4ac5a503134518267578d4d"}} as unknown as TypedDocumentString<CredentialPageQuery, CredentialPageQueryVariables>;
export const ProgramPageDocument = {"__meta__":{"hash":"c9cf3c16dbedf5396e3edf03d04d3ea01d128f082da2ca076e45737ec42f42d2"}} as unknown as TypedDocumentString<ProgramPageQuery, ProgramPageQueryVariables>;
export const IssuerPageDocument = {"__meta__":{"hash":"aa277dcf9fc8189906bbcdaee32e3827c19c46df63bd5284a8da98ad95077493"}} as unknown as TypedDocumentString<IssuerPageQuery, IssuerPageQueryVariables>;
export const SchemaPageDocument = {"__meta__":{"hash":"232e2d8292d0d36767170509bd0c4878d3f6d8d8414a26b9f7683bcc9051d647"}} as unknown as TypedDocumentString<SchemaPageQuery, SchemaPageQueryVariables>;
export const VerifierPageDocument = {"__meta__":{"hash":"7d7841de65308271a9f1e5a0f59d9ebf1585e729ca9013c10942acb3a57f7a93"}} as unknown as TypedDocumentString<VerifierPageQuery, VerifierPageQueryVariables>;
export const CredentialsDocument = {"__meta__":{"hash":"d2bb38c4cc7fa7a2dc6fe5f9e271c5ba04b412c9a2fd3959d709e06c92931429"}} as unknown as TypedDocumentString<CredentialsQuery, CredentialsQueryVariables>;
export const ProgramsDocument = {"__meta__":{"hash":"34d32620a71d5a9e26027c6fa735c66c853dbb190d5976ea030220e8b9f9e05c"}} as unknown as TypedDocumentString<ProgramsQuery, ProgramsQueryVariables>;
export const IssuersDocument = {"__meta__":{"hash":"69af5878b7e4bca0bee02211dbd80f75990cfd6a521b41bf63f0ed847fc98da8"}} as unknown as TypedDocumentString<IssuersQuery, IssuersQueryVariables>;
export const SchemasDocument = {"__meta__":{"hash":"a84299a4d061fea148680c53b298e23b8c8ed9dda2181790db1f8ad64f571e27"}} as unknown as TypedDocumentString<SchemasQuery, SchemasQueryVariables>;
export const VerifiersDocument = {"__meta__":{"hash":"01437a1518440f3c13e154461389b0abaca480f185a8b6bf23623a810b7d0ad6"}} as unknown as TypedDocumentString<VerifiersQuery, VerifiersQueryVariables>;
export const OpenedDocument = {"__meta__":{"hash":"6a496c2ae82a0479a255a4ed9a0924f857ea546a9fcac233aa415d15cd659593"}} as unknown as TypedDocumentString<OpenedQuery, OpenedQueryVariables>;
export const PlanDocument = {"__meta__":{"hash":"b03f6082598df6d2ae12bdc7cfa4a4007091e8aa1d9d67946558999da52ec89d"}} as unknown as TypedDocumentString<PlanQuery, PlanQueryVariables>;
export const SearchDocument = {"__meta__":{"hash":"13249360e997334e3829d64017763bcc25e81de2599cf7cacc069005647f5ceb"}} as unknown as TypedDocumentString<SearchQuery, SearchQueryVariables>;
export const PopularDocument = {"__meta__":{"hash":"cedc866827fce6d001d995d4bbbc293d7fd108efac39c128045f8a16289ec6cd"}} as unknown as TypedDocumentString<PopularQuery, PopularQueryVariables>;
export const PutIssuerDocument = {"__meta__":{"hash":"d1d1558448ba1bcdf244b10f883403200455654950bcd7b4089484b2fd320e8a"}} as unknown as TypedDocumentString<PutIssuerMutation, PutIssuerMutationVariables>;
export const PutVerifierDocument = {"__meta__":{"hash":"a6cd6e7c1dffb55c5d555156d84a02b496785ae5e2146efd9c19752004bf2a6a"}} as unknown as TypedDocumentString<PutVerifierMutation, PutVerifierMutationVariables>;
export const PutSchemaDocument = {"__meta__":{"hash":"629a319fb7671ac52ead8bae8d7a98c8a9ab1368819ac7b3c594eafa249a7d42"}} as unknown as TypedDocumentString<PutSchemaMutation, PutSchemaMutationVariables>;
export const PutCredentialDocument = {"__meta__":{"hash":"220dd9979c3f82d4ab1471799a16b4b412b17da9a7f8d7529f42de18dcc27ef2"}} as unknown as TypedDocumentString<PutCredentialMutation, PutCredentialMutationVariables>;
export const PutProgramDocument = {"__meta__":{"hash":"4cb356f55a25477e617703bbc920e54dcc588d8b6e0d5a2a9ee9dd2f66ef5799"}} as unknown as TypedDocumentString<PutProgramMutation, PutProgramMutationVariables>;
export const RetireIssuerDocument = {"__meta__":{"hash":"ce3d8fd9d308aad6bc367a81d48ff78af682d9d9f5ab4cf97093effac019e2fa"}} as unknown as TypedDocumentString<RetireIssuerMutation, RetireIssuerMutationVariables>;
export const RetireVerifierDocument = {"__meta__":{"hash":"9ee7e87717481ef4c055989817974ded710d65fdf2d45b6971b9e046e9b205c4"}} as unknown as TypedDocumentString<RetireVerifierMutation, RetireVerifierMutationVariables>;
export const RetireSchemaDocument = {"__meta__":{"hash":"6cbb6c20aa43f4c36bde44022c3c539da346401f7a6ac01cf52da22296be8c02"}} as unknown as TypedDocumentString<RetireSchemaMutation, RetireSchemaMutationVariables>;
export const RetireCredentialDocument = {"__meta__":{"hash":"1d1f9d76b82a6d89318d90372746020a42b8190dd5598c16a5e48f8c7f7ff429"}} as unknown as TypedDocumentString<RetireCredentialMutation, RetireCredentialMutationVariables>;
export const RetireProgramDocument = {"__meta__":{"hash":"4e6fe7a1245e6b3881233d484f26d18e2176a2bc2288cad218e3d0e536cebb90"}} as unknown as TypedDocumentString<RetireProgramMutation, RetireProgramMutationVariables>;
export const ImpactDocument = {"__meta__":{"hash":"6c621d8efab7e5c258839dd6d4c04161096849d48f46d616c40422da3f8d61ab"}} as unknown as TypedDocumentString<ImpactQuery, ImpactQueryVariables>;
export const PlannedSchemaDocument = {"__meta__":{"hash":"70df52fe8aac6306b72b69921235196071613bd07079b02bee4c7ef0132a204c"}} as unknown as TypedDocumentString<PlannedSchemaQuery, PlannedSchemaQueryVariables>;
export const PointsOfDocument = {"__meta__":{"hash":"410ccf88f016d7e8e2ddc2b157631c36951ce814c6a405098d282d1d09b02c88"}} as unknown as TypedDocumentString<PointsOfQuery, PointsOfQueryVariables>;
export const DependentsDocument = {"__meta__":{"hash":"4a3060fa45fbe93cb005479c72ae44b2a670a9aea8792797864cc3c7ee3c49eb"}} as unknown as TypedDocumentString<DependentsQuery, DependentsQueryVariables>;
export const MirrorsDocument = {"__meta__":{"hash":"a325f44e1e492f9dd4116f7ef58d344f5502b50ca365152819c01b289f4f1f8c"}} as unknown as TypedDocumentString<MirrorsQuery, MirrorsQueryVariables>;
export const EraseHolderDocument = {"__meta__":{"hash":"5c623c91831296289590b36fcd82911f24398d78a87434f5d5634f6c7513fe7e"}} as unknown as TypedDocumentString<EraseHolderMutation, EraseHolderMutationVariables>;
export const ErasureStateDocument = {"__meta__":{"hash":"93d46c6f54fc281b6200f5c56c7030852c5c96dc21f996e709d293b5e5bfe4d5"}} as unknown as TypedDocumentString<ErasureStateQuery, ErasureStateQueryVariables>;
export const OperatorHomeDocument = {"__meta__":{"hash":"59acaf84cd11127acf52bdeb09b0f9e68e7ebbcff6ffe4162e18678f45180fa4"}} as unknown as TypedDocumentString<OperatorHomeQuery, OperatorHomeQueryVariables>;
export const TroubleDocument = {"__meta__":{"hash":"0f9224a78dc00876fb6b573072c0e4df245ffee07878bb9fffb21cbf43e8db24"}} as unknown as TypedDocumentString<TroubleQuery, TroubleQueryVariables>;
export const PartnersDocument = {"__meta__":{"hash":"df143c7595e7cbcfeceace16e03ab460ec593a758fee50dca02cd7ddb697e484"}} as unknown as TypedDocumentString<PartnersQuery, PartnersQueryVariables>;
export const PutPartnerDocument = {"__meta__":{"hash":"c3c9b536282b3ed758ce4fbaa5a0e6fded06d57ecd0dffac8b974111c084fb9f"}} as unknown as TypedDocumentString<PutPartnerMutation, PutPartnerMutationVariables>;
export const RetirePartnerDocument = {"__meta__":{"hash":"dbfc3dab7a4a43bb3019859e4a945ea832859249a6d2ad5e21902f05f739e686"}} as unknown as TypedDocumentString<RetirePartnerMutation, RetirePartnerMutationVariables>;
export const AuditLogDocument = {"__meta__":{"hash":"ff2a5dcc022d44d65998f2dd6425e6109c474774ab927e511e5145b9ab7f2cd4"}} as unknown as TypedDocumentString<AuditLogQuery, AuditLogQueryVariables>;
export const ChainJobsDocument = {"__meta__":{"hash":"44c113f303f54375a0267ebeec352a825a5c06f269e35b297e79a2777895c3d0"}} as unknown as TypedDocumentString<ChainJobsQuery, ChainJobsQueryVariables>;
export const RetryJobDocument = {"__meta__":{"hash":"df194b2aaf159b5a2a4a75ecbdb33f7bd3699535c1b89fcda223b9e37ab3fba5"}} as unknown as TypedDocumentString<RetryJobMutation, RetryJobMutationVariables>;
export const GiveUpJobDocument = {"__meta__":{"hash":"8e34f727651642eb54eba518eef4c00f6a87c16a8332e108d69c5671ade161b4"}} as unknown as TypedDocumentString<GiveUpJobMutation, GiveUpJobMutationVariables>;
export const OperatorKeysDocument = {"__meta__":{"hash":"7fd2ed4f74360a1358c81a1d4002c55b7fd1cb969fbdaff38538d3edf97f55f6"}} as unknown as TypedDocumentString<OperatorKeysQuery, OperatorKeysQueryVariables>;
export const NewKeyDocument = {"__meta__":{"hash":"5b4ccc27898a18e24269c8a6f658adb4e91f100ed205aab03bb0ea1069363875"}} as unknown as TypedDocumentString<NewKeyMutation, NewKeyMutationVariables>;
export const RotateKeyDocument = {"__meta__":{"hash":"d7655c9baa27e2cccdf566f258e0bb7be72c29c8fb678107398bc00350cc1880"}} as unknown as TypedDocumentString<RotateKeyMutation, RotateKeyMutationVariables>;
export const WithdrawKeyDocument = {"__meta__":{"hash":"ad9a9498bf06d42672223b1b498f05cd24e31136546304bf4435efa229af3a7c"}} as unknown as TypedDocumentString<WithdrawKeyMutation, WithdrawKeyMutationVariables>;
export const PartnerWebhooksDocument = {"__meta__":{"hash":"2ee482a712107c125625a05b9819160a26f52bc5cafa83486f5fea364f3104d0"}} as unknown as TypedDocumentString<PartnerWebhooksQuery, PartnerWebhooksQueryVariables>;
export const LastCallsDocument = {"__meta__":{"hash":"3920f202a16dd468e3b45ad1d2e908921aff4b335d843c084883fa4cda29c966"}} as unknown as TypedDocumentString<LastCallsQuery, LastCallsQueryVariables>;
export const PauseWebhookDocument = {"__meta__":{"hash":"14ea9f7d99c5dc3513cd38171273ffd8bf0108e55728a780ed688d88ff90f0e6"}} as unknown as TypedDocumentString<PauseWebhookMutation, PauseWebhookMutationVariables>;
export const ResumeWebhookDocument = {"__meta__":{"hash":"2ccbdcfaf8579269a023a46410d2266606f0b786e5301d19514c8e86c82d2b56"}} as unknown as TypedDocumentString<ResumeWebhookMutation, ResumeWebhookMutationVariables>;
export const BatchPageDocument = {"__meta__":{"hash":"0b4147d9e5dc06a7636ced6933d12be480988fbc3af041856c908c37a13c8fa1"}} as unknown as TypedDocumentString<BatchPageQuery, BatchPageQueryVariables>;
export const BatchResultsDocument = {"__meta__":{"hash":"c67a75f8cd3c7623c7998b76e815f93ac123edceab167d5d0f9e6e56f7f4b947"}} as unknown as TypedDocumentString<BatchResultsQuery, BatchResultsQueryVariables>;
export const OwnBatchesDocument = {"__meta__":{"hash":"15d3eeb7810b7a4d365834a941004cc38d85950648279b349c2023e91ab6b02f"}} as unknown as TypedDocumentString<OwnBatchesQuery, OwnBatchesQueryVariables>;
export const StartBatchDocument = {"__meta__":{"hash":"5b194c9655cbecf5fb89abf3bec4161699907ff4c666e4b85053ae8947353031"}} as unknown as TypedDocumentString<StartBatchMutation, StartBatchMutationVariables>;
export const CancelBatchDocument = {"__meta__":{"hash":"fb90d84cfba47aa7d3e2d0c096e78b76568fcaecfd3e4610db4b4834ffd93f55"}} as unknown as TypedDocumentString<CancelBatchMutation, CancelBatchMutationVariables>;
export const RetryBatchDocument = {"__meta__":{"hash":"11a9ddcccbada55a12c0769e5f2e003e2d388c68944b85128773ea8dd769c396"}} as unknown as TypedDocumentString<RetryBatchMutation, RetryBatchMutationVariables>;
export const BatchFollowedDocument = {"__meta__":{"hash":"a72b6dc4dd8c538be321f41f42c636bef66dd03e6e27e31be7bf36d0b7259d8a"}} as unknown as TypedDocumentString<BatchFollowedSubscription, BatchFollowedSubscriptionVariables>;
export const PartnerHomeDocument = {"__meta__":{"hash":"6ff30fa821b72c04009e264e24e163f8f304c3b9714f0227337f6288393bf654"}} as unknown as TypedDocumentString<PartnerHomeQuery, PartnerHomeQueryVariables>;
export const WhyDocument = {"__meta__":{"hash":"f24e9fc37301ba2520709a71b949332952c88bc28fa65e9b7437482b739980e0"}} as unknown as TypedDocumentString<WhyQuery, WhyQueryVariables>;
export const IssueFormDocument = {"__meta__":{"hash":"fca7334a187615241e29d97fd0f8f25e2117d2fd2debad8462742de59af4c69f"}} as unknown as TypedDocumentString<IssueFormQuery, IssueFormQueryVariables>;
export const IssueOneDocument = {"__meta__":{"hash":"1f5b16f0857c4bbc4fa10f4120813d88dbe9bdadf1de19f424952241de43468b"}} as unknown as TypedDocumentString<IssueOneMutation, IssueOneMutationVariables>;
export const OwnIssuancesDocument = {"__meta__":{"hash":"e7123d70502040faa286d516f77414617038815920316e6e97a448478d6ee649"}} as unknown as TypedDocumentString<OwnIssuancesQuery, OwnIssuancesQueryVariables>;
export const RevokeOneDocument = {"__meta__":{"hash":"0cb36753bd760ef853755b384608c835db8124ad44ac6ef75fed232c85a4a731"}} as unknown as TypedDocumentString<RevokeOneMutation, RevokeOneMutationVariables>;
export const OwnVerificationsDocument = {"__meta__":{"hash":"88484ef4ff7e1f3d757ec410ff165770d53e33c61f59f4a2f398d84ccff4b23f"}} as unknown as TypedDocumentString<OwnVerificationsQuery, OwnVerificationsQueryVariables>;
export const WebhooksDocument = {"__meta__":{"hash":"716cd0bad80b3eb9470be20f18d1f25407d65030f1b7167722cce2fc808c5611"}} as unknown as TypedDocumentString<WebhooksQuery, WebhooksQueryVariables>;
export const WebhookPageDocument = {"__meta__":{"hash":"6fe1ba385cf2b15ffe9bb1d90f31ee356830e42965a82766961b4bcbd4c157c4"}} as unknown as TypedDocumentString<WebhookPageQuery, WebhookPageQueryVariables>;
export const AddWebhookDocument = {"__meta__":{"hash":"19fe64c8698ac3ad63516f30e591f31564a86db1be1985f813415030c0c55eb0"}} as unknown as TypedDocumentString<AddWebhookMutation, AddWebhookMutationVariables>;
export const PingWebhookDocument = {"__meta__":{"hash":"dfe97adab44c8f0676799f4963bcdec0cf7dc4fba79a9b80ae256dff1d399512"}} as unknown as TypedDocumentString<PingWebhookMutation, PingWebhookMutationVariables>;
export const RedeliverDocument = {"__meta__":{"hash":"637f511ae5fe36d065688ac407dc3a05d7b72d5e2cbdd7be2301cf5edc078db7"}} as unknown as TypedDocumentString<RedeliverMutation, RedeliverMutationVariables>;
export const RemoveWebhookDocument = {"__meta__":{"hash":"56e750199a7748daaa54c333928ab9070527a1d2a8e5cf1578510b313b49aaad"}} as unknown as TypedDocumentString<RemoveWebhookMutation, RemoveWebhookMutationVariables>;
export const IssuancesFollowedDocument = {"__meta__":{"hash":"80216d212850fc715098802e92675ef05f7721fc42f2b9b1445445131a91cf2c"}} as unknown as TypedDocumentString<IssuancesFollowedSubscription, IssuancesFollowedSubscriptionVariables>;
export const VerificationsFollowedDocument = {"__meta__":{"hash":"716be603e90d1fe8a75ffc8b91054213505ae6e32fdf0ad9b51e6eb2e1d12486"}} as unknown as TypedDocumentString<VerificationsFollowedSubscription, VerificationsFollowedSubscriptionVariables>;
export const ConsentsFollowedDocument = {"__meta__":{"hash":"3f4771977d21ea5fd7dfd7b8f1367d8a02993a7058b61c3dbb73f65bbd4c1585"}} as unknown as TypedDocumentString<ConsentsFollowedSubscription, ConsentsFollowedSubscriptionVariables>;
export const DisabledWebhooksFollowedDocument = {"__meta__":{"hash":"dcf0496249468ebaf44d99df0eed13e9584b4873e1b7821c8dc93cf9047eb389"}} as unknown as TypedDocumentString<DisabledWebhooksFollowedSubscription, DisabledWebhooksFollowedSubscriptionVariables>;
export const PreviewRevocationDocument = {"__meta__":{"hash":"5521befa8ee1c5533242ebf115af12f50d8710e6cfee101a9e533043841e7652"}} as unknown as TypedDocumentString<PreviewRevocationMutation, PreviewRevocationMutationVariables>;
export const ConfirmRevocationDocument = {"__meta__":{"hash":"df700d5968301a5b05caa0557289234591f8850e997e7376825ecb2ef7b0eca4"}} as unknown as TypedDocumentString<ConfirmRevocationMutation, ConfirmRevocationMutationVariables>;
export const RevocationPageDocument = {"__meta__":{"hash":"cf1ee886e0893a03ae84452aa7c7a10ed26d758fe9ff2f9037998ba3c3624b31"}} as unknown as TypedDocumentString<RevocationPageQuery, RevocationPageQueryVariables>;
export const RevocationFollowedDocument = {"__meta__":{"hash":"9bf05be01de764ceab4f72e53ce7e17e597e86264df1ed7a258c1b86b4be9316"}} as unknown as TypedDocumentString<RevocationFollowedSubscription, RevocationFollowedSubscriptionVariables>;