// Public keys and DID documents: for verifying the gateway's signatures, and for encrypting to a holder.
import { z } from 'zod';
import { DID_DOCUMENT_TYPES, KEY_SET_TYPES } from '../http/requests/media-types.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { DID_DOCUMENT, KEY_SET } from '../http/routes/shapes.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Holders } from './holders.service.js';

const didParams = z.object({ did: z.string().max(500) });
const SHORTLY = { 'cache-control': 'public, max-age=60' };

/** The gateway's key set and holders' DID documents. */
export function keysRoutes({ signingKeys, holders }: { signingKeys: SigningKeys; holders: Holders }): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/.well-known/jwks.json',
      summary: "The gateway's own public keys: session tokens and receipts are signed with them",
      auth: 'public',
      produces: KEY_SET_TYPES,
      answers: { 200: KEY_SET },
      handle: async () => ({ body: await signingKeys.jwks('gateway'), headers: SHORTLY }),
    }),
    route<z.output<typeof didParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/dids/:did',
      summary: "A holder's DID document, with the key that credentials are encrypted to",
      auth: 'public',
      params: didParams,
      produces: DID_DOCUMENT_TYPES,
      answers: { 200: DID_DOCUMENT },
      fails: { 404: 'No holder has this DID.' },
      handle: async ({ params: { did } }) => ({ body: await holders.didDocument(did) }),
    }),
  ];
}
