// GraphQL over HTTP: Apollo Server on Fastify, with our own executor behind its gateway hook. No business rule.
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteShorthandOptions,
} from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { ANONYMOUS, type Caller, inRequest } from '../base/callers/caller.js';
import { after } from '../base/concurrency/maybe-promise.js';
import type { GatewayContext, LoaderFacts, Loaders, Services } from '../compose/context.js';
import type { Authenticate } from '../http/callers/authenticate.js';
import { CREDENTIALS } from '../http/cache/cached-response.js';
import { chargeCaller, identified } from '../http/callers/charges.js';
import { checkOrigin, type OriginRules } from '../http/callers/cors.js';
import { checkAccept, completePath } from '../http/routes/register-routes.js';
import { addVersionHeader } from '../http/responses/version.js';
import { AcceptedOperations } from './documents/accepted-operations.js';
import { ISSUING_BODY_LIMIT, limitedBody } from './documents/body-limit.js';
import { type Documents } from './documents/documents.js';
import { type Limits, MAX_TOKENS } from './documents/limits.js';
import { ANSWER_TYPE, GRAPHQL_ANSWER_TYPE, replaceDocumentName, isNamed } from './documents/request.js';
import {
  answer,
  answerEarly,
  type AnswerParts,
  lineOf,
  PATH,
  type RequestCounts,
  type RunOperation,
} from './answer.js';
import { formatError } from './errors.js';
import { askedRelations } from './execution/asked-relations.js';
import { bodiesOf, isQueryOf, recorderOf, sendCached, storeSent } from './execution/cached-answers.js';
import type { Execute } from './execution/executor.js';
import { withExtras } from './execution/extras.js';
import { lengthOf } from './execution/written-data.js';
import { factsOf, type GraphqlFacts } from './graphql-facts.js';
import { limitsPlugin, logPlugin, requestIdPlugin } from './plugins.js';
import { sendGraphqlError } from './send-error.js';

export interface GraphqlOptions {
  schema: GraphQLSchema;
  documents: Documents;
  limits: Limits;
  execute: Execute;
  services: Services;
  /** Loaders of one request. */
  makeLoaders(facts: LoaderFacts): Loaders;
  /** Root fields whose responses depend only on rows that report their changes. */
  cacheable: ReadonlySet<string>;
  authenticate: Authenticate;
  origins: OriginRules;
}

export { PATH } from './answer.js';
export { BODY_LIMIT } from './documents/body-limit.js';
const ANSWER_TYPES = [ANSWER_TYPE, GRAPHQL_ANSWER_TYPE];

/** Registers `/graphql` (POST, and GET and HEAD for queries), and stops it when the server closes. @returns its counts */
export async function registerGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<RequestCounts> {
  const { documents, services, limits } = options;
  const run = runnerOf(options);
  const accepted = new AcceptedOperations(documents.prepared, limits);
  const counts: RequestCounts = { direct: 0, apollo: 0 };
  const apolloRoute = await apolloRouteOf(app, options, { run, counts });
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    bodyLimit: ISSUING_BODY_LIMIT,
    config: { bodies: bodiesOf(services.answers, accepted) },
    errorHandler: sendGraphqlError,
    ...admissionHooks(options),
    handler: sendCached(services.answers, (request, reply) =>
      answer(request, reply, { run, accepted, documents, apolloRoute, services, counts }),
    ),
    ...(services.answers ? { onSend: storeSent } : {}),
  });
  app.early.path = PATH;
  app.early.by.POST = (request) => answerEarly(request, { run, accepted, services, counts });
  completePath(app, PATH, ['GET', 'POST'], options.origins, sendGraphqlError);
  return counts;
}

/**
 * The hooks before a request's handler: they find the caller, limit the body, and replace a document's name by its
 * text.
 */
function admissionHooks(
  options: GraphqlOptions,
): Pick<RouteShorthandOptions, 'onRequest' | 'preParsing' | 'preValidation'> {
  return {
    onRequest: (request, reply, done) => {
      if (isNobody(request)) {
        void reply.header('vary', 'origin');
        admit(request, ANONYMOUS);
        return done();
      }
      identify(request, reply, options).then(() => done(), done);
    },
    preParsing: (request, _reply, payload, done) =>
      done(null, limitedBody(payload, request.facts.caller, request.headers['content-length'])),
    preValidation: (request, _reply, done) => {
      if (!request.facts.cached && isNamed(request)) replaceDocumentName(request, options.documents);
      done();
    },
  };
}

/** Apollo's handler, for operations that were not accepted before. */
async function apolloRouteOf(
  app: FastifyInstance,
  options: GraphqlOptions,
  { run, counts }: Pick<AnswerParts, 'run' | 'counts'>,
): Promise<RouteHandlerMethod> {
  const apollo = apolloServer(options, run, app.log);
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());
  const judge = fastifyApolloHandler(apollo, { context: async (request) => factsOf(request, options.services) });
  return async (request, reply) => {
    counts.apollo += 1;
    replaceDocumentName(request, options.documents);
    return judge.call(app, asGet(request), reply);
  };
}

/** Apollo refuses HEAD; Fastify sends a HEAD's response without its body. */
const asGet = (request: FastifyRequest): FastifyRequest =>
  request.method === 'HEAD' ? Object.create(request, { method: { value: 'GET' } }) : request;

function apolloServer(
  { schema, limits, documents }: GraphqlOptions,
  run: RunOperation,
  logger: FastifyBaseLogger,
): ApolloServer<GraphqlFacts> {
  return new ApolloServer<GraphqlFacts>({
    gateway: executorOf(schema, run),
    plugins: [
      // The first wraps every field, which takes half of a request's time; the second loads Apollo's studio at each start.
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      limitsPlugin(limits),
      requestIdPlugin(),
      logPlugin(logger),
    ],
    parseOptions: { maxTokens: MAX_TOKENS },
    introspection: true,
    // Names have been replaced by texts, and texts have been parsed.
    persistedQueries: false,
    documentStore: documents.store,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // No caller is authenticated by a cookie, so a plain GET from another site's page can only read what is public.
    csrfPrevention: false,
    formatError,
    stringifyResult: lineOf,
    logger,
  });
}

/** Whether a request has neither credentials nor an origin, so that no caller needs to be found. */
function isNobody({ headers }: FastifyRequest): boolean {
  return headers.origin === undefined && CREDENTIALS.every((name) => headers[name] === undefined);
}

/** Finds the caller, and checks the origin of its page. @throws DomainError FORBIDDEN. */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  { origins, authenticate }: GraphqlOptions,
): Promise<void> {
  // The response to a caller with credentials or an origin may be private.
  void reply.header('cache-control', 'no-store');
  await checkOrigin(origins, request, reply);
  const { server, headers } = request;
  const caller = await identified(server.points, request.facts.address, headers, () => authenticate(headers));
  if (caller.kind === 'partner') await checkOrigin(origins, request, reply, caller);
  addVersionHeader(reply, caller);
  admit(request, caller);
}

/** @throws DomainError NOT_ACCEPTABLE, RATE_LIMITED. */
function admit(request: FastifyRequest, caller: Caller): void {
  checkAccept(request, ANSWER_TYPES);
  chargeCaller(request, caller);
  request.facts.caller = caller;
}

/** Runs operations. Loaders are made here and not on Apollo's context object, which Apollo copies. */
function runnerOf({ schema, execute, documents, services, makeLoaders, cacheable }: GraphqlOptions): RunOperation {
  return (document, operation, facts) => {
    const { requestId, address, ask } = facts;
    const caller = inRequest(facts.caller, requestId);
    const { fill } = facts.http;
    const { trusted, asOf } = services.catalogChanges;
    const readAt = trusted && asOf !== null ? asOf : Date.now();
    const reads = recorderOf(fill, () =>
      isQueryOf(cacheable, documents.prepared.of(document), operation.operationName),
    );
    const loaders = makeLoaders({ reads, ask, asked: () => askedRelations(schema, document, operation) });
    const context: GatewayContext = { caller, requestId, address, ask, services, loaders, reads };
    const catalogVersion = () => loaders.catalog.version;
    return after(execute(document, { ...operation, context, catalogVersion }), (result) => {
      if (result.errors) fill?.end();
      else facts.paid?.refundUnused(lengthOf(result));
      return withExtras(result, facts, readAt);
    });
  };
}

/** The gateway that Apollo's hook calls. */
function executorOf(schema: GraphQLSchema, run: RunOperation): GatewayInterface {
  const executor: GatewayExecutor = async ({ document, request, context }) => {
    const facts = context as GraphqlFacts;
    const { variables, operationName } = request;
    return (facts.result ?? (await run(document, { variables, operationName }, facts))) as Awaited<
      ReturnType<GatewayExecutor>
    >;
  };
  return {
    load: async () => ({ executor }),
    onSchemaLoadOrUpdate: (callback) => {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    stop: async () => {},
  };
}
