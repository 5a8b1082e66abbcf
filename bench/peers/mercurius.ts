// Mercurius with graphql-jit, its DataLoaders answering from memory.
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { serve } from './listen.js';
import { PAGE_SCHEMA } from './page-schema.js';
import { type Credential, type Loaders, makeLoaders, type Program, readRows } from './rows.js';

interface Context {
  loaders: Loaders;
}

await serve(Fastify(), async (app, db) => {
  const rows = await readRows(db);
  const resolvers = {
    Query: {
      credentials: (_: unknown, { first = 10 }: { first?: number }) => ({
        nodes: rows.credentials.slice(0, first),
        pageInfo: { hasNextPage: rows.credentials.length > first },
      }),
    },
    Credential: {
      issuer: ({ issuerId }: Credential, _: unknown, { loaders }: Context) => loaders.issuers.load(issuerId),
      schema: ({ schemaId }: Credential, _: unknown, { loaders }: Context) => loaders.schemas.load(schemaId),
      programs: async ({ credentialId }: Credential, { first = 10 }: { first?: number }, { loaders }: Context) => ({
        nodes: (await loaders.programs.load(credentialId)).slice(0, first),
      }),
    },
    Program: {
      verifier: ({ verifierId }: Program, _: unknown, { loaders }: Context) => loaders.verifiers.load(verifierId),
    },
  };
  await app.register(mercurius, {
    schema: PAGE_SCHEMA,
    resolvers: resolvers as never,
    jit: 1,
    context: () => ({ loaders: makeLoaders(rows) }),
  });
});
