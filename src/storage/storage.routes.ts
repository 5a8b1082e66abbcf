// /v1/dstorage/vcs for partners, /v1/holders/me/credentials for holders (contract §4.3–§4.5). Storing is a route of issuance.

import { z } from 'zod';
import { pageLimit } from '../base/input.js';
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { cursorPage } from '../http/routes/shapes.js';
import type { StoredPackages } from './list.js';
import type { StorageService } from './storage.service.js';
import {
  HELD_CREDENTIAL,
  HELD_CREDENTIAL_WITH_DATA,
  STORED_PACKAGE,
  STORED_PACKAGE_WITH_DATA,
} from './storage.shapes.js';
import { storedCiphertext, storedForPartner, storedMetadata } from './views.js';

export interface StorageRouteServices {
  storage: StorageService;
  storedPackages: StoredPackages;
}

const packageParams = z.object({ id: z.guid('must be a UUID') });
type PackageParams = z.output<typeof packageParams>;
const listQuery = z.strictObject({
  schemaId: z.string().min(1).max(500).optional(),
  after: z.guid('must be the id of an item').optional(),
  limit: pageLimit(),
});
type PackageListQuery = z.output<typeof listQuery>;
const filter = z.string().min(1).max(500).optional();
const packagesQuery = z.strictObject({
  holderDid: filter,
  schemaId: filter,
  externalId: filter,
  after: filter,
  limit: pageLimit(),
});
type PackagesQuery = z.output<typeof packagesQuery>;

/** All routes over stored packages. */
export function storageRoutes(services: StorageRouteServices): AnyRoute[] {
  return [...partnerRoutes(services), ...holderRoutes(services)];
}

function partnerRoutes({ storage, storedPackages }: StorageRouteServices): AnyRoute[] {
  return [
    packagesRoute(storedPackages),
    route<PackageParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/dstorage/vcs/:id',
      summary: "One of the partner's own packages, with its receipt and ciphertext",
      auth: 'partner',
      operation: 'storedPackages',
      params: packageParams,
      answers: { 200: STORED_PACKAGE_WITH_DATA },
      fails: { 404: 'The partner has no such package.' },
      async handle({ caller, params: { id } }) {
        const row = await storage.get(requirePartner(caller), id);
        return { body: { ...storedForPartner(row), ...storedCiphertext(row) } };
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

function packagesRoute(storedPackages: StoredPackages): AnyRoute {
  return route<unknown, PackagesQuery, unknown>({
    method: 'GET',
    path: '/v1/dstorage/vcs',
    summary: "The partner's own packages, newest first, without their ciphertext",
    auth: 'partner',
    operation: 'storedPackages',
    query: packagesQuery,
    answers: { 200: cursorPage(STORED_PACKAGE) },
    async handle({ caller, query: { after, limit, ...fields } }) {
      const filter = Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, value && [value]]));
      const page = await storedPackages.page(requirePartner(caller), { filter, ...(after ? { after } : {}), limit });
      const { hasNextPage: hasMore, endCursor } = page.pageInfo;
      return { body: { items: page.nodes, hasMore, ...(hasMore ? { nextCursor: endCursor } : {}) } };
    },
  });
}

function holderRoutes({ storage }: StorageRouteServices): AnyRoute[] {
  return [
    route<unknown, PackageListQuery, unknown>({
      method: 'GET',
      path: '/v1/holders/me/credentials',
      summary: "The holder's own credentials, oldest first",
      auth: 'holder',
      query: listQuery,
      answers: { 200: cursorPage(HELD_CREDENTIAL) },
      fails: { 404: 'The holder has no credential with the id in `after`, or no longer has it.' },
      async handle({ caller, query: { limit, ...page } }) {
        const rows = await storage.listForHolder(requireHolder(caller).holderId, { ...page, limit: limit + 1 });
        const items = rows.slice(0, limit).map(storedMetadata);
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
      answers: { 200: HELD_CREDENTIAL_WITH_DATA },
      fails: { 404: 'The holder has no such credential.' },
      async handle({ caller, params: { id } }) {
        const row = await storage.getForHolder(requireHolder(caller).holderId, id);
        return { body: { ...storedMetadata(row), ...storedCiphertext(row) } };
      },
    }),
  ];
}
