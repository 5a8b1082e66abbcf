// /v1/dstorage/vcs for partners, /v1/holders/me/credentials for holders (contract §4.3–§4.5). Storing is a route of issuance.
import type { z } from 'zod';
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { cursorPage } from '../http/routes/shapes.js';
import { heldCredentialsQuery, packageParams } from './inputs.js';
import type { StorageService } from './storage.service.js';
import {
  ciphertextOf,
  heldCredential,
  heldCredentialOf,
  heldCredentialWithData,
  storedPackageOf,
  storedPackageWithData,
} from './types.js';

type PackageParams = z.output<typeof packageParams>;
type HeldCredentialsQuery = z.output<typeof heldCredentialsQuery>;

export interface StorageRouteServices {
  storage: StorageService;
}

/** All routes over stored packages. */
export function storageRoutes(services: StorageRouteServices): AnyRoute[] {
  return [...partnerRoutes(services), ...holderRoutes(services)];
}

function partnerRoutes({ storage }: StorageRouteServices): AnyRoute[] {
  return [
    route<PackageParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/dstorage/vcs/:id',
      summary: "One of the partner's own packages, with its receipt and ciphertext",
      auth: 'partner',
      operation: 'storedPackages',
      params: packageParams,
      answers: { 200: storedPackageWithData },
      fails: { 404: 'The partner has no such package.' },
      async handle({ caller, params: { id } }) {
        const row = await storage.get(requirePartner(caller), id);
        return { body: { ...storedPackageOf(row), ...ciphertextOf(row) } };
      },
    }),
    route<PackageParams, unknown, unknown>({
      method: 'DELETE',
      path: '/v1/dstorage/vcs/:id',
      summary: "Delete one of the partner's own packages",
      auth: 'partner',
      operation: 'deletePackage',
      params: packageParams,
      answers: { 204: null },
      fails: { 404: 'The partner has no such package.' },
      async handle({ caller, params: { id } }) {
        await storage.delete(requirePartner(caller), id);
        return { status: 204 };
      },
    }),
  ];
}

function holderRoutes({ storage }: StorageRouteServices): AnyRoute[] {
  return [
    route<unknown, HeldCredentialsQuery, unknown>({
      method: 'GET',
      path: '/v1/holders/me/credentials',
      summary: "The holder's own credentials, oldest first",
      auth: 'holder',
      query: heldCredentialsQuery,
      answers: { 200: cursorPage(heldCredential) },
      fails: { 404: 'The holder has no credential with the id in `after`, or no longer has it.' },
      async handle({ caller, query: { limit, ...page } }) {
        const rows = await storage.listForHolder(requireHolder(caller).holderId, { ...page, limit: limit + 1 });
        const items = rows.slice(0, limit).map(heldCredentialOf);
        const hasMore = rows.length > limit;
        return { body: { items, hasMore, ...(hasMore ? { nextCursor: items.at(-1)?.id } : {}) } };
      },
    }),
    route<PackageParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/holders/me/credentials/:id',
      summary: "One of the holder's own credentials, with its ciphertext",
      auth: 'holder',
      params: packageParams,
      answers: { 200: heldCredentialWithData },
      fails: { 404: 'The holder has no such credential.' },
      async handle({ caller, params: { id } }) {
        const row = await storage.getForHolder(requireHolder(caller).holderId, id);
        return { body: { ...heldCredentialOf(row), ...ciphertextOf(row) } };
      },
    }),
  ];
}
