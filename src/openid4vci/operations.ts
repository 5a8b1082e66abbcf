// What partners do with offers (contract §34): the fields of GraphQL and the routes under /v1/offers.
import { z } from 'zod';
import { record } from '../base/record.js';
import { operationsOf } from '../http/routes/operation.js';
import { createdOffer, createOfferInput, offer, offerInput, offersInput, withdrawOfferInput } from './inputs.js';
import type { Offers } from './offers.js';

const { query, listing, mutation } = operationsOf<{ offers: Offers }>();

const createOfferPayload = record('CreateOfferPayload', 'Response of createOffer.', {
  offer: createdOffer.describe('The offer.'),
});
const withdrawOfferPayload = record('WithdrawOfferPayload', 'Response of withdrawOffer.', {
  offerId: z.string().describe('Id of the offer.'),
});

export const offerOperations = [
  query('offer', 'An offer of the partner. Needs the scope issue.', {
    callers: 'partner',
    permission: 'offers',
    input: offerInput,
    output: offer,
    run: ({ offers }, { caller, input: { offerId } }) => offers.get(caller, offerId),
    rest: {
      method: 'GET',
      path: '/v1/offers/:id',
      members: { id: 'offerId' },
      summary: 'An offer of the partner',
      fails: { 404: 'The partner has no such offer.' },
    },
  }),

  listing('offers', "The partner's offers, newest first. Needs the scope issue.", {
    callers: 'partner',
    permission: 'offers',
    input: offersInput,
    output: offer,
    listing: { what: 'offers', most: 100, size: 25 },
    run: ({ offers }, { caller, input }) => offers.page(caller, input),
    rest: { method: 'GET', path: '/v1/offers', summary: "The partner's offers, newest first" },
    // Its total is counted for each request.
    graphql: { extensions: { counted: true } },
  }),

  mutation('createOffer', 'Offers a credential to a wallet. For partners with the scope issue.', {
    callers: 'partner',
    audit: 'offer.create',
    input: createOfferInput,
    output: createdOffer,
    run: ({ offers }, { caller, input: { idempotencyKey, ...body } }) => offers.create(caller, body, idempotencyKey),
    rest: {
      method: 'POST',
      path: '/v1/offers',
      headers: { 'idempotency-key': 'idempotencyKey' },
      summary: 'Offer a credential to a wallet',
      answers: { 200: createdOffer, 201: createdOffer },
      respond: (body) => ({ status: body.offerUri === null ? 200 : 201, body }),
      fails: {
        404: 'The issuer, the credential or the holder is unknown.',
        409: 'The holder declined the partner, the window is closed, or the credential has no form for wallets.',
      },
    },
    graphql: { argument: 'What to offer.', payload: createOfferPayload, show: (created) => ({ offer: created }) },
  }),

  mutation(
    'withdrawOffer',
    'Withdraws an offer that no wallet has the credential of. For partners with the scope issue.',
    {
      callers: 'partner',
      audit: 'offer.withdraw',
      input: withdrawOfferInput,
      run: ({ offers }, { caller, input: { offerId } }) => offers.withdraw(caller, offerId),
      rest: {
        method: 'DELETE',
        path: '/v1/offers/:id',
        members: { id: 'offerId' },
        summary: 'Withdraw an offer; refused once a wallet has the credential',
        fails: { 404: 'The partner has no such offer.', 409: 'A wallet has the credential.' },
      },
      graphql: {
        argument: 'Which offer.',
        payload: withdrawOfferPayload,
        show: (_nothing, { offerId }) => ({ offerId }),
      },
    },
  ),
];
