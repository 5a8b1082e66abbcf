// Public keys of CAK key pairs: the holder's PUT, the issuer's partner's GET (contract §17).
import { z } from 'zod';
import { requireHolder, requirePartner } from '../../base/callers/rights.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { CAK_KEY } from '../issuance.shapes.js';
import type { CakKeys } from './cak.js';
import { CAK_CURVES } from './public-key.js';

const id = z.string().min(1).max(500);
/** Bounded here, checked on its curve by the service. A message never repeats it. */
const publicKey = z.string().length(66, 'must be 66 hexadecimal digits');

/** What a holder registers. */
export const cakBody = z.strictObject({ issuerId: id, schemaId: id, curve: z.enum(CAK_CURVES), publicKey });
export type CakBody = z.output<typeof cakBody>;

const userId = z.guid('must be a UUID').transform((text) => text.toLowerCase());
const params = z.object({ userId });
const query = z.strictObject({ issuerId: id, schemaId: id });
/** Whose key, and for what. */
export const cakQuery = query.extend({ userId });

/** All routes of CAK. */
export function cakRoutes({ cakKeys }: { cakKeys: CakKeys }): AnyRoute[] {
  return [
    route<unknown, unknown, CakBody>({
      method: 'PUT',
      path: '/v1/holders/me/cak',
      summary: "Register the public half of the holder's CAK for an issuer and a schema",
      auth: 'holder',
      body: cakBody,
      answers: { 200: CAK_KEY },
      fails: { 404: 'The issuer has no credential with a CAK on this schema.' },
      handle: async ({ caller, body }) => ({ body: await cakKeys.register(requireHolder(caller), body) }),
    }),
    route<z.output<typeof params>, z.output<typeof query>, unknown>({
      method: 'GET',
      path: '/v1/holders/:userId/cak',
      summary: "A holder's CAK public key, for partners of the issuer",
      auth: 'partner',
      operation: 'cakKey',
      params,
      query,
      answers: { 200: CAK_KEY },
      fails: { 404: 'There is no such key, or the partner may not act for the issuer.' },
      handle: async ({ caller, params: { userId }, query: place }) => ({
        body: await cakKeys.find(requirePartner(caller), userId, place),
      }),
    }),
  ];
}
