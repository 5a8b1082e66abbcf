// Mercurius with graphql-jit, its DataLoaders answering from memory.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { serve } from '../../../dist/bench/peers/listen.js';
import { PAGE_SCHEMA } from '../../../dist/bench/peers/page-schema.js';
import { makeLoaders, readRows } from '../../../dist/bench/peers/rows.js';

await serve(Fastify(), async (app, db) => {
  const rows = await readRows(db);
  const resolvers = {
    Query: {
      credentials: (_, { first = 10 }) => ({
        nodes: rows.credentials.slice(0, first),
        pageInfo: { hasNextPage: rows.credentials.length > first },
      }),
    },
    Credential: {
      issuer: ({ issuerId }, _, { loaders }) => loaders.issuers.load(issuerId),
      schema: ({ schemaId }, _, { loaders }) => loaders.schemas.load(schemaId),
      programs: async ({ credentialId }, { first = 10 }, { loaders }) => ({
        nodes: (await loaders.programs.load(credentialId)).slice(0, first),
      }),
    },
    Program: {
      verifier: ({ verifierId }, _, { loaders }) => loaders.verifiers.load(verifierId),
    },
  };
  await app.register(mercurius, {
    schema: PAGE_SCHEMA,
    resolvers,
    jit: 1,
    context: () => ({ loaders: makeLoaders(rows) }),
  });
});
