// GraphQL over HTTP: Apollo Server on Fastify, with our own executor behind its gateway hook. No business rule.
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Authenticate } from '../authenticate.js';
import { type GatewayContext, makeLoaders, type RequestFacts, type Services } from '../context.js';
import { ERRORS } from '../errors.js';
import { checkOrigin, type OriginRules } from '../rest/cors.js';
import { logError, requestError } from '../rest/errors.js';
import { checkAccept, completePath } from '../rest/server.js';
import { ISSUING_BODY_LIMIT, limitedBody } from './body-limit.js';
import { domainErrorOf, errorBody, formatError } from './errors.js';
import type { Execute } from './executor.js';
import { checkLimits, MAX_TOKENS } from './limits.js';
import { checkGraphqlRequest } from './request.js';

export interface GraphqlOptions {
  schema: GraphQLSchema;
  execute: Execute;
  services: Services;
  authenticate: Authenticate;
  origins: OriginRules;
}

export { BODY_LIMIT } from './body-limit.js';
export const PATH = '/graphql';
const ANSWER_TYPE = 'application/json';

/** Registers `/graphql` (POST, and GET for queries); ends with the server. */
export async function registerGraphql(app: FastifyInstance, options: GraphqlOptions): Promise<void> {
  const { schema } = options;
  const apollo = new ApolloServer<RequestFacts>({
    gateway: executorOf(options),
    plugins: [
      // It wraps every field, which costs half of a request's time.
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      limitsPlugin(schema),
      requestIdPlugin(),
      logPlugin(app.log),
    ],
    parseOptions: { maxTokens: MAX_TOKENS },
    introspection: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Nobody is authenticated by a cookie, so a foreign page's plain GET learns only what is public anyway.
    csrfPrevention: false,
    formatError,
    logger: app.log,
  });
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());
  app.decorateRequest('facts');
  app.route({
    method: ['GET', 'POST'],
    url: PATH,
    exposeHeadRoute: false,
    bodyLimit: ISSUING_BODY_LIMIT,
    errorHandler: sendGraphqlError,
    onRequest: async (request, reply) => {
      await checkOrigin(options.origins, request, reply);
      const caller = await options.authenticate(request.headers);
      if (caller.kind === 'partner') await checkOrigin(options.origins, request, reply, caller);
      checkAccept(request, ANSWER_TYPE);
      request.setDecorator<RequestFacts>('facts', { caller, requestId: request.id, address: request.ip });
    },
    preParsing: async (request, _reply, payload) =>
      limitedBody(payload, request.getDecorator<RequestFacts>('facts').caller, request.headers['content-length']),
    preHandler: async (request) => checkGraphqlRequest(request),
    handler: fastifyApolloHandler(apollo, { context: async (request) => request.getDecorator<RequestFacts>('facts') }),
  });
  completePath(app, PATH, ['GET', 'POST'], options.origins, { errorHandler: sendGraphqlError });
}

/** Runs operations. Loaders are made here and not on Apollo's context object, which Apollo copies. */
function executorOf({ schema, execute, services }: GraphqlOptions): GatewayInterface {
  const executor: GatewayExecutor = async ({ document, request, context: facts }) => {
    const { variables, operationName } = request;
    const context: GatewayContext = { ...(facts as RequestFacts), services, loaders: makeLoaders(services) };
    return execute(document, { variables, operationName, context }) as ReturnType<GatewayExecutor>;
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

/** Refuses too large operations before they run. */
function limitsPlugin(schema: GraphQLSchema): ApolloServerPlugin<RequestFacts> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request }) => {
        try {
          if (operation) checkLimits(schema, document, operation, request.variables);
        } catch (error) {
          const refused = domainErrorOf(error);
          const { status } = ERRORS[refused.code];
          throw new GraphQLError(refused.message, { originalError: refused, extensions: { http: { status } } });
        }
      },
    }),
  };
}

/** Every error names the request, so that a person can ask about it. */
function requestIdPlugin(): ApolloServerPlugin<RequestFacts> {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response, contextValue }) => {
        if (response.body.kind !== 'single') return;
        for (const error of response.body.singleResult.errors ?? []) {
          Object.assign(error.extensions ?? {}, { requestId: contextValue.requestId });
        }
      },
    }),
  };
}

/** Failures of ours are logged with their cause; refusals stay quiet. */
function logPlugin(log: FastifyBaseLogger): ApolloServerPlugin<RequestFacts> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) {
          const { code, message, cause } = domainErrorOf(error, error.extensions?.code);
          log[ERRORS[code].level](
            { reqId: contextValue?.requestId, code, ...(cause === undefined ? {} : { err: cause }) },
            message,
          );
        }
      },
    }),
  };
}

export function sendGraphqlError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = requestError(thrown);
  logError(request, error);
  if (error.data.allow !== undefined) void reply.header('allow', error.data.allow.join(', '));
  return reply.code(error.status).type('application/json; charset=utf-8').send(errorBody(error, request.id));
}
