// What partners send about offers.
import { z } from 'zod';
import { lowerUuid } from '../base/input.js';
import { catalogId, choice, count, hash, id, input, record, time } from '../base/record.js';
import { issueOnBehalfInput } from '../issuance/issuance.service.js';
import type { OfferRow } from './models.js';

/** How long an offer is open, seconds. */
const DEFAULT_S = 86_400;
/** An offer without a transaction code: whoever sees the QR code can take it. */
export const MOST_WITHOUT_CODE_S = 600;

const txCode = choice(
  'TxCode',
  'Who passes the transaction code, which a wallet asks its user for, to the recipient.',
  {
    mail: 'The gateway mails it.',
    partner: 'The partner: the response has it.',
    none: 'Nobody: there is none. Such an offer is open for at most 600 seconds.',
  },
);

export const createOfferInput = input('CreateOfferInput', 'A credential to offer to a wallet.', {
  ...issueOnBehalfInput.shape,
  expiresIn: count
    .min(60)
    .max(604_800)
    .default(DEFAULT_S)
    .describe('Seconds for which the offer is open; default: a day.'),
  txCode: txCode.default('mail').describe('How the recipient gets the transaction code; default MAIL.'),
  idempotencyKey: z
    .string()
    .optional()
    .describe(
      'Random, of at least 20 characters, such as a UUID. For 24 hours, the same request under the same key is the same offer, with a new offerUri while it is open.',
    ),
});
export type CreateOffer = Omit<z.output<typeof createOfferInput>, 'idempotencyKey'>;

export const offerInput = z.strictObject({ offerId: lowerUuid.describe('Id of the offer.') });
export const withdrawOfferInput = input('WithdrawOfferInput', 'Which offer to withdraw.', offerInput.shape);
export const offerState = choice('OfferState', 'The state of an offer.', {
  open: 'No wallet has taken it.',
  claimed: 'A wallet has an access token for it.',
  issued: 'A wallet has the credential.',
  closed: 'Nobody can take it any more.',
});
const closedReason = choice('OfferClosedReason', 'Why an offer is closed.', {
  expired: 'Nobody took it in time.',
  tries: 'Five wrong transaction codes.',
  withdrawn: 'The partner withdrew it.',
  refused: 'The credential could no longer be issued.',
});

export const offersInput = z.strictObject({
  credentialId: catalogId.optional().describe('Only of this credential.'),
  state: offerState.optional().describe('Only in this state.'),
});

export const offer = record('Offer', 'An offer of a credential to a wallet.', {
  offerId: id.describe('Its id.'),
  credentialId: z.string().describe('Which credential.'),
  userUuid: z.guid().describe('userId of the recipient.'),
  state: offerState.describe('Its state.'),
  reason: closedReason.nullable().describe('Why it is closed; null: it is not.'),
  coreClaimHash: hash.nullable().describe('Hash of the claim; null until it is issued.'),
  walletEvent: z
    .string()
    .nullable()
    .describe('What the wallet last said of it: credential_accepted, credential_failure or credential_deleted.'),
  expiresAt: time.describe('Until when a wallet can take it.'),
}).meta({ id: 'Offer' });
export type Offer = z.output<typeof offer>;

export const createdOffer = record('CreatedOffer', 'An offer, with the address that a wallet opens.', {
  offerId: id
    .nullable()
    .describe('Its id; null: the holder has a live credential of this kind, and `onDuplicate` is IGNORE.'),
  offerUri: z
    .string()
    .nullable()
    .describe(
      'The address for a wallet, as a link or a QR code. Whoever has it can take the offer. Null: there is no offer, or it is not open any more.',
    ),
  txCode: z.string().nullable().describe('The transaction code, if the partner passes it on.'),
  state: offerState.nullable().describe('Its state.'),
  expiresAt: time.nullable().describe('Until when a wallet can take it.'),
  userUuid: z.guid().describe('userId of the recipient.'),
  coreClaimHash: hash.nullable().describe('Of the live credential, if there is one.'),
}).meta({ id: 'CreatedOffer' });
export type CreatedOffer = z.output<typeof createdOffer>;

/** An offer for its partner. */
export const offerOf = (row: OfferRow): Offer => ({
  offerId: row._id,
  credentialId: row.credentialId,
  userUuid: row.holderId,
  state: row.state,
  reason: row.reason ?? null,
  coreClaimHash: row.coreClaimHash ?? null,
  walletEvent: row.walletEvent ?? null,
  expiresAt: row.expiresAt,
});

/** What the response has where there is no offer. */
export const NO_OFFER = { offerId: null, offerUri: null, txCode: null, state: null, expiresAt: null } as const;

/** The response for an offer, with its address if it is given out now. */
export const createdOf = (row: OfferRow, offerUri: string | null): CreatedOffer => ({
  ...{ offerId: row._id, offerUri, txCode: null, state: row.state, expiresAt: row.expiresAt },
  ...{ userUuid: row.holderId, coreClaimHash: row.coreClaimHash ?? null },
});
