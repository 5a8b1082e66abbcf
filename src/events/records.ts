// Events as GraphQL shows them, each with the members of all events; and the filters of subscriptions. The table of
// event types (store/event-types.ts) has the form of each type.
import { createUnionType } from 'type-graphql';
import { z } from 'zod';
import { count, id, implementing, input, record, sized } from '../base/record.js';
import { objectType } from '../graphql/shapes/from-zod.js';
import { textFilter } from '../graphql/shapes/filters.js';
import { coreInitializationResult, loginResult } from '../holders/session-types.js';
import { coreIdDetails } from '../holders/types.js';
import { batchState } from '../issuance/batches/types.js';
import { revocationJobState } from '../issuance/revocations/types.js';
import { walletInitialized } from '../holders/wallet-types.js';
import { networkEvent } from './views.js';

const event = <M extends z.ZodRawShape>(name: string, description: string, members: M) =>
  implementing(networkEvent, name, description, members);

const initializedEvent = event('InitializedEvent', 'A session was resumed.', {
  result: coreInitializationResult.describe('Whether an earlier session continues.'),
});
const loggedInEvent = event('LoggedInEvent', 'The holder logged in.', {
  result: loginResult.describe('The holder, without its token.'),
});
const walletInitializedEvent = event('WalletInitializedEvent', "The holder's account was registered.", {
  result: walletInitialized.describe('The registered account.'),
});
const coreIdMintingStartedEvent = event('CoreIdMintingStartedEvent', "The holder's core id is being minted.", {});
const coreIdMintedEvent = event('CoreIdMintedEvent', "The holder's core id was minted.", {
  result: coreIdDetails.describe('The record.'),
});
const coreIdMintingFailedEvent = event('CoreIdMintingFailedEvent', "The holder's core id could not be minted.", {
  errorMessage: z.string().nullable().describe('Why, in a sentence for a person.'),
});
const loggedOutEvent = event('LoggedOutEvent', 'The holder logged out.', {});

const issuanceEvent = event(
  'IssuanceEvent',
  'An issuance was submitted, stored, anchored, revoked or removed from the chain, or has expired.',
  {
    coreClaimHash: z
      .string()
      .nullable()
      .describe('Hash of the claim; null for a package that was stored without a claim.'),
    credentialId: z.string().nullable().describe('Id of the credential; null without a claim.'),
    issuerId: z.string().nullable().describe('Id of the issuer; null without a claim.'),
    schemaId: z.string().describe('Id of the schema.'),
    storagePath: z.string().nullable().describe('Address of the stored package: `dstorage://vc/<id>`.'),
    holderDid: z.string().nullable().describe('DID of the holder, for a package that was stored without a claim.'),
  },
);

const batchEvent = event('BatchEvent', 'The progress of a batch at the time of the event.', {
  jobId: z.string().describe('Id of the batch.'),
  state: batchState.describe('Its state at the time of the event.'),
  dryRun: z.boolean().describe('Whether rows are only checked.'),
  total: count.describe('All rows.'),
  done: count.describe('Rows that are issued, or valid in a dry run.'),
  failed: count.describe('Rows refused.'),
});

const revocationEvent = event('RevocationEvent', 'The progress of a revocation by filter at the time of the event.', {
  jobId: z.string().describe('Id of the revocation.'),
  state: revocationJobState.describe('Its state at the time of the event.'),
  total: count.describe('All issuances of the preview.'),
  done: count.describe('How many of them are processed.'),
  revoked: count.describe('How many the job has revoked.'),
});

const credentialStatusChangedEvent = event(
  'CredentialStatusChangedEvent',
  'The public status of an issuance has changed.',
  { coreClaimHash: z.string().describe('Hash of the claim.') },
);

const cakAuthorizedEvent = event(
  'CakAuthorizedEvent',
  "A holder allowed a verifier to have its compliance access key. Sent to the holder and to the issuer's partners.",
  {
    userId: z.string().describe('userId of the holder.'),
    verifierDid: z.string().describe('Decentralized identifier of the verifier.'),
    schemaId: z.string().describe('Id of the schema that the key is for.'),
  },
);

const offerEvent = event(
  'OfferEvent',
  'An offer to a wallet was made or closed, or a wallet said what it did with the credential.',
  {
    offerId: z.string().nullable().describe('Id of the offer; null for what a wallet said.'),
    credentialId: z.string().nullable().describe('Which credential; null for an offer that was closed.'),
    reason: z
      .string()
      .nullable()
      .describe('Why the offer was closed: expired, tries, withdrawn or refused; else null.'),
    coreClaimHash: z.string().nullable().describe('Hash of the claim that a wallet has; else null.'),
    event: z
      .string()
      .nullable()
      .describe('What the wallet said: credential_accepted, credential_failure or credential_deleted; else null.'),
  },
);

const webhookDisabledEvent = event(
  'WebhookDisabledEvent',
  'The gateway disabled an endpoint of the partner. A test ping that it accepts enables it again.',
  {
    webhookId: id.describe('Id of the webhook.'),
    reason: z.string().describe('gone: it responded with 410; failing: every attempt of three days failed.'),
  },
);

const catalogChange = record('CatalogChange', 'An entry of the catalog that was added, changed or retired.', {
  type: z.string().describe('catalog_entry_added, catalog_entry_changed or catalog_entry_retired.'),
  kind: z.string().describe('issuers, verifiers, schemas, credentials or programs.'),
  entryId: z.string().describe("The entry's own id."),
});

/** Most changes in one result, for the cost of an operation. */
const MAX_CHANGES = 100;

const catalogChangedEvent = event(
  'CatalogChangedEvent',
  'Entries of the catalog changed. Changes within 250 ms are sent as one event of at most 100 entries. `type` is catalog_changed if they are of several types.',
  { changes: sized(MAX_CHANGES, z.array(catalogChange)).describe('The changes, in order.') },
);

const tractionChangedEvent = event(
  'TractionChangedEvent',
  'The counts of a credential changed. Changes within 250 ms are sent as one event.',
  { credentialId: z.string().describe('Id of the credential.') },
);

const verificationEvent = event(
  'VerificationEvent',
  'A verification was started, proved or closed, or has lapsed: its claim ended after it was Compliant.',
  {
    verificationId: z.string().describe('Which verification.'),
    programId: z.string().describe('Id of the program.'),
    status: z.string().describe('Its status at the time of the event.'),
    reason: z.string().nullable().describe('Why, if the status alone does not say it.'),
  },
);

const by = (description: string) => textFilter.nullish().describe(description);

export const verificationEventWhere = input(
  'VerificationEventWhere',
  'A filter of verification events; all given fields must match.',
  { programId: by('By program.'), status: by('By status.') },
);
export type VerificationEventWhere = z.output<typeof verificationEventWhere>;

export const issuanceEventWhere = input(
  'IssuanceEventWhere',
  'A filter of issuance events; all given fields must match.',
  {
    type: by('By type: submitted, stored, anchored, revoked, removed, expired.'),
    credentialId: by('By credential.'),
    issuerId: by('By the id of the issuer.'),
    schemaId: by('By schema.'),
  },
);
export type IssuanceEventWhere = z.output<typeof issuanceEventWhere>;

export type BatchEvent = z.output<typeof batchEvent>;
export type RevocationEvent = z.output<typeof revocationEvent>;
export type IssuanceEvent = z.output<typeof issuanceEvent>;
export type CredentialStatusChangedEvent = z.output<typeof credentialStatusChangedEvent>;
export type CatalogChange = z.output<typeof catalogChange>;
export type TractionChangedEvent = z.output<typeof tractionChangedEvent>;

const SDK_EVENTS = [
  initializedEvent,
  loggedInEvent,
  walletInitializedEvent,
  coreIdMintingStartedEvent,
  coreIdMintedEvent,
  coreIdMintingFailedEvent,
  loggedOutEvent,
].map(objectType);

/** The types of GraphQL. */
export const SdkEvent = createUnionType({
  name: 'SdkEvent',
  description: "An event of a holder's own sessions, as client SDKs report it.",
  types: () => SDK_EVENTS,
});
export const BatchEvent = objectType(batchEvent);
export const RevocationEvent = objectType(revocationEvent);
export const IssuanceEvent = objectType(issuanceEvent);
export const CredentialStatusChangedEvent = objectType(credentialStatusChangedEvent);
export const CakAuthorizedEvent = objectType(cakAuthorizedEvent);
export const OfferEvent = objectType(offerEvent);
export const WebhookDisabledEvent = objectType(webhookDisabledEvent);
export const CatalogChange = objectType(catalogChange);
export const CatalogChangedEvent = objectType(catalogChangedEvent);
export const TractionChangedEvent = objectType(tractionChangedEvent);
export const VerificationEvent = objectType(verificationEvent);
