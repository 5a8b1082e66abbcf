// A partner's list of its stored packages, in GraphQL and REST (contract §4.4).
import { operationsOf } from '../http/routes/operation.js';
import { type PackagesQuery, packagesQuery, storedPackagesInput } from './inputs.js';
import type { StoredPackages } from './list.js';
import { storedPackage } from './types.js';

const { listing } = operationsOf<{ storedPackages: StoredPackages }>();

export const storageOperations = [
  listing('storedPackages', "The partner's own stored packages, newest first. Needs the scope issue.", {
    callers: 'partner',
    input: storedPackagesInput,
    output: storedPackage,
    listing: { what: 'packages', most: 100, size: 10, cursorLength: 500 },
    run: ({ storedPackages }, { caller, input }) => storedPackages.page(caller, input),
    rest: {
      method: 'GET',
      path: '/v1/dstorage/vcs',
      request: {
        query: packagesQuery,
        input({ query }) {
          const { after, limit, ...values } = query as PackagesQuery;
          const where = Object.fromEntries(Object.entries(values).map(([field, eq]) => [field, { eq }]));
          return { where, after, limit };
        },
      },
      summary: "The partner's own packages, newest first, without their ciphertext",
    },
  }),
];
