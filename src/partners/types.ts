// Partners as the operator and they themselves see them, and the caller.
import { z } from 'zod';
import { choice, record, shownAs, time } from '../base/record.js';
import { operatorKeyRole } from '../operators/types.js';
import { KEY_SET } from '../http/routes/shapes.js';
import { gasPolicy } from './gas-policy-types.js';
import type { PartnerRow } from './models.js';

export const partnerScope = choice('PartnerScope', 'What a partner token allows.', {
  issue: 'Resolving recipients, storing and issuing credentials.',
  verify: 'Starting verifications and checking proofs.',
});

const callerKind = choice('CallerKind', 'The four kinds of callers.', {
  anonymous: 'A request without credentials.',
  partner: 'A partner, with its token in x-partner-auth.',
  holder: 'A holder, with a session token in authorization.',
  operator: 'The operator, with the key in x-admin-api-key.',
});

const partnerPutResult = choice('PartnerPutResult', 'The result of writing a partner.', {
  created: 'There was no such partner, or it had been retired.',
  updated: 'The partner was replaced.',
  unchanged: 'The partner already had this content; nothing was written.',
});

export const whoAmI = record('WhoAmI', 'The caller, as the credentials of this request identify it.', {
  kind: callerKind.describe('Kind of caller.'),
  partnerId: z.string().optional().describe('The partner, or the partner through which a holder logged in.'),
  holderId: z.string().optional().describe('The holder, for a session token.'),
  scopes: z
    .array(partnerScope)
    .readonly()
    .optional()
    .describe('Scopes of the token that the partner record also allows.'),
  kid: z.string().nullish().describe('Id of the key that signed the partner token.'),
  role: operatorKeyRole.optional().describe("What an operator's key may do."),
  keyName: z.string().optional().describe("Name of the operator's key, as in the audit log."),
  expiresAt: time.optional().describe('When the token expires.'),
});

const etag = z.string().describe('Changes with every change of content.');

export const partner = record(
  'Partner',
  'A partner: its keys, and what it may do. For the operator, and for the partner itself.',
  {
    partnerId: shownAs('String', z.guid()).describe('Id of the partner, a UUID.'),
    name: z.string().describe('Name of the partner.'),
    jwksUri: z.string().nullable().describe('URL of its published key set.'),
    jwks: KEY_SET.nullable().describe('Its key set (RFC 7517), when it is not published.'),
    scopes: z.array(partnerScope).describe('What its tokens allow.'),
    issuerDids: z.array(z.string()).describe('Issuers it may issue for.'),
    issueOnBehalf: z.boolean().describe('Whether managed issuers may sign credentials for it.'),
    verifierIds: z
      .array(z.string())
      .describe('Verifiers whose programs it may run; empty: all in the sandbox, none in production.'),
    allowedOrigins: z.array(z.string()).describe('Origins whose pages may call with its tokens.'),
    requireTyp: z.boolean().describe('Whether its tokens must have the header typ.'),
    requireScope: z
      .boolean()
      .describe(
        'Whether its tokens must have the claim scope. If not, a token without it has the scopes of the record.',
      ),
    gasPolicy: gasPolicy.nullable().describe("How much of its holders' gas it pays for."),
    keySetProblem: z
      .string()
      .nullable()
      .describe(
        'What is wrong with the key set at jwksUri: why it is refused, or cannot verify a token; null: nothing.',
      ),
    createdAt: time.describe('When it was created.'),
    updatedAt: time.describe('When it was last changed.'),
    etag,
  },
).meta({ id: 'PartnerRecord' });
export type Partner = z.output<typeof partner>;

export const putPartnerPayload = record('PutPartnerPayload', 'The result of writing a partner.', {
  partner: partner.describe('The partner after the call.'),
  result: partnerPutResult.describe('The result of the call.'),
  etag,
});
export type PartnerPut = z.output<typeof putPartnerPayload>;

export const retirePartnerPayload = record(
  'RetirePartnerPayload',
  'A retired partner: its tokens are refused from now on.',
  { retiredId: z.string().describe('Id of the retired partner.') },
);

/** A partner for the operator, made from its row. */
export function partnerView(row: PartnerRow): Partner {
  const { _id, jwks, live: _live, version: _version, requireScope = true, keySetProblem = null, ...rest } = row;
  const { verifierIds = [], gasPolicy = null } = row;
  const keys = jwks === null ? null : { keys: jwks };
  return { partnerId: _id, ...rest, verifierIds, requireScope, gasPolicy, keySetProblem, jwks: keys };
}
