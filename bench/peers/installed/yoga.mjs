// graphql-yoga with envelop's JIT: its DataLoaders read the store at the address that is its argument, or a catalog in memory.
// Prints its address when it is ready.
import { createServer } from 'node:http';
import { useGraphQlJit } from '@envelop/graphql-jit';
import { createSchema, createYoga } from 'graphql-yoga';
import { PAGE_SCHEMA } from '../../../dist/bench/peers/page-schema.js';
import { openSource } from '../../../dist/bench/peers/source.js';

const [uri, from] = process.argv.slice(2);
const source = await openSource(uri, from);

const resolvers = {
  Query: {
    credentials: async (_, { first = 10 }) => {
      const credentials = await source.credentials(first + 1);
      return { nodes: credentials.slice(0, first), pageInfo: { hasNextPage: credentials.length > first } };
    },
  },
  Credential: {
    issuer: ({ issuerId }, _, { loaders }) => loaders.issuers.load(issuerId),
    schema: ({ schemaId }, _, { loaders }) => loaders.schemas.load(schemaId),
    programs: async ({ credentialId }, { first = 10 }, { loaders }) => ({
      nodes: (await loaders.programs.load({ credentialId, first })).slice(0, first),
    }),
  },
  Program: {
    verifier: ({ verifierId }, _, { loaders }) => loaders.verifiers.load(verifierId),
  },
};

const yoga = createYoga({
  schema: createSchema({ typeDefs: PAGE_SCHEMA, resolvers }),
  context: () => ({ loaders: source.loaders() }),
  plugins: [useGraphQlJit()],
  logging: false,
  graphiql: false,
  landingPage: false,
  batching: false,
  cors: false,
  multipart: false,
});
const server = createServer(yoga);
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/graphql`));
