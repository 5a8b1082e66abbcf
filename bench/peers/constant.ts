// The ceiling: Fastify sending constant bodies; POST reads and parses its body as a GraphQL request's would be.
import Fastify from 'fastify';
import { serve } from './listen.js';

const TYPE = 'application/json; charset=utf-8';

// The bodies come on the command line after the store's address: the page's, and the credential detail's.
const [page = '', detail = ''] = process.argv.slice(3);
await serve(Fastify(), async (app) => {
  app.post('/page', (_request, reply) => reply.type(TYPE).send(page));
  app.get('/detail', (_request, reply) => reply.type(TYPE).send(detail));
});
