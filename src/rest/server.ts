// Route rows to Fastify routes: who may call, checked input, the answer in its form. No business rule.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Authenticate } from '../authenticate.js';
import { ANONYMOUS, type Caller } from '../caller.js';
import { catalogClosed, DomainError } from '../errors.js';
import { parseInput } from '../input.js';
import { checkOrigin, type OriginRules, registerPreflight } from './cors.js';
import { envelope } from './envelope.js';
import type { AnyRoute, RouteAnswer } from './route.js';

export interface RestOptions {
  authenticate: Authenticate;
  origins: OriginRules;
  /** Contract §2: closed routes answer as if they were not there. */
  catalogEnabled: boolean;
  clock(): number;
}

const JSON_TYPE = 'application/json';
const BODY_LIMIT = 262_144;
const ALL_METHODS: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** Registers every route, an answer 405 for the other methods of their paths, and the preflights. */
export function registerRoutes(app: FastifyInstance, routes: readonly AnyRoute[], options: RestOptions): void {
  for (const type of ['application/x-ndjson', 'application/ndjson']) {
    app.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  }
  app.removeContentTypeParser('text/plain');
  for (const row of routes) {
    app.route({
      method: row.method,
      url: row.path,
      bodyLimit: row.bodyLimit ?? BODY_LIMIT,
      handler: (request, reply) => handle(row, request, reply, options),
    });
  }
  for (const [path, methods] of methodsByPath(routes)) refuseOtherMethods(app, path, methods);
  registerPreflight(app, options.origins);
}

function methodsByPath(routes: readonly AnyRoute[]): Map<string, HTTPMethods[]> {
  const methods = new Map<string, HTTPMethods[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

/** Answers 405 with `Allow` for every method that a path does not have. */
export function refuseOtherMethods(app: FastifyInstance, path: string, methods: readonly HTTPMethods[]): void {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  const others = ALL_METHODS.filter((method) => !methods.includes(method));
  if (others.length === 0) return;
  const refuse = async (request: FastifyRequest): Promise<never> => {
    throw new DomainError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not a method of this path; it has ${allow.join(', ')}.`,
      { allow },
    );
  };
  // Before the body is read: its type and size do not matter here.
  app.route({ method: others, url: path, exposeHeadRoute: false, onRequest: refuse, handler: refuse });
}

async function handle(
  row: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
): Promise<FastifyReply> {
  const caller = row.auth === 'public' ? ANONYMOUS : await admitted(row, request, options.authenticate);
  await checkOrigin(options.origins, request, reply, caller);
  if (row.catalog && !options.catalogEnabled) throw catalogClosed();
  checkAccept(row, request);
  const answer = await row.handle({
    params: row.params ? parseInput(row.params, request.params) : {},
    query: row.query ? parseInput(row.query, request.query) : {},
    body: row.body ? parseInput(row.body, request.body) : undefined,
    headers: request.headers as Record<string, string | undefined>,
    caller,
    requestId: request.id,
    address: request.ip,
    ...(row.rawBody && request.body instanceof Readable ? { stream: request.body } : {}),
  });
  return send(row, answer, reply, options.clock());
}

/** The caller, if the route is for its kind. @throws DomainError UNAUTHENTICATED or FORBIDDEN (contract §1). */
async function admitted(row: AnyRoute, request: FastifyRequest, authenticate: Authenticate): Promise<Caller> {
  const caller = await authenticate(request.headers);
  if (caller.kind === 'anonymous') throw new DomainError('UNAUTHENTICATED', `This route needs ${SHOWN[row.auth]}.`);
  if (caller.kind !== row.auth) throw new DomainError('FORBIDDEN', `This route is for ${row.auth}s only.`);
  if (row.scope !== undefined && caller.kind === 'partner' && !caller.scopes.includes(row.scope)) {
    throw new DomainError('FORBIDDEN', `This route needs a token with the scope "${row.scope}".`);
  }
  return caller;
}

const SHOWN: Readonly<Record<AnyRoute['auth'], string>> = {
  public: 'nothing',
  partner: 'a partner token in x-partner-auth',
  holder: 'a session token in authorization: Bearer',
  operator: 'the operator key in x-admin-api-key',
};

function checkAccept(row: AnyRoute, request: FastifyRequest): void {
  const { accept } = request.headers;
  const produces = row.produces ?? JSON_TYPE;
  if (accept === undefined) return;
  const ranges = accept.split(',').map((range) => (range.split(';')[0] ?? '').trim().toLowerCase());
  const [major] = produces.split('/');
  const fits = ['*/*', `${major}/*`, produces, 'application/problem+json'];
  if (!ranges.some((range) => fits.includes(range))) {
    throw new DomainError('NOT_ACCEPTABLE', `This route answers ${produces}, which the accept header excludes.`);
  }
}

function send(row: AnyRoute, answer: RouteAnswer, reply: FastifyReply, now: number): FastifyReply {
  void reply.code(answer.status ?? 200).headers(answer.headers ?? {});
  if (answer.status === 204) return reply.send();
  if (answer.contentType !== undefined) return reply.type(answer.contentType).send(answer.body);
  void reply.type(`${JSON_TYPE}; charset=utf-8`);
  return reply.send(JSON.stringify(row.catalog ? envelope(answer.body, now) : answer.body));
}
