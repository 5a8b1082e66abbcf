// POST /v1/dstorage/vcs: packages of issuers that sign for themselves, with a claim or without (contract §4.3, §12).
import { requirePartner } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import type { StoreRequest } from '../storage/request.js';
import { STORE_BODY_LIMIT, storeBody } from '../storage/storage.service.js';
import { STORED } from '../storage/storage.shapes.js';
import type { Idempotency } from '../store/idempotency.js';
import type { DirectIssuance } from './direct.js';

export interface DirectRouteServices {
  direct: DirectIssuance;
  idempotency: Idempotency;
}

/** The route by which issuers store what they signed. */
export function directRoutes({ direct, idempotency }: DirectRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, StoreRequest>({
      method: 'POST',
      path: '/v1/dstorage/vcs',
      summary: 'Store a credential that its issuer signed and encrypted to the holder',
      auth: 'partner',
      operation: 'storeCredential',
      body: storeBody,
      bodyLimit: STORE_BODY_LIMIT,
      headers: ['idempotency-key'],
      answers: { 201: STORED },
      fails: {
        404: 'There is no such holder, schema, issuer or credential.',
        409: 'The externalId belongs to another package, or the claim is refused (contract §12).',
      },
      async handle({ caller, body, headers }) {
        const { externalId, ...package_ } = body;
        const call = { caller, route: 'dstorage/vcs', key: headers['idempotency-key'], body };
        const answer = await idempotency.run(call, () => direct.store(requirePartner(caller), package_, externalId));
        return { status: 201, body: answer };
      },
    }),
  ];
}
