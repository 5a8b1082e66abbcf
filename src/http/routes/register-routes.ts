// Makes Fastify routes from route rows: who may call, checked input, the form of the response. No business rule.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { ANONYMOUS, type Caller, inRequest } from '../../base/callers/caller.js';
import { catalogClosed, DomainError } from '../../base/errors.js';
import { writeJson } from '../../base/json/exact-json.js';
import { parseInput } from '../../base/input.js';
import { after, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { CommandGate } from '../../store/command-gate.js';
import type { Reads } from '../../store/reads.js';
import { accepts, bestOf, essence } from '../requests/accept.js';
import { admitCaller } from './admit-caller.js';
import { checkResponseSize } from '../responses/response-bytes.js';
import type { Authenticate } from '../callers/authenticate.js';
import { JSON_TYPE, NDJSON_TYPES, readBodies } from '../requests/bodies.js';
import { answerOf, hasIt, isAnonymous, tag } from '../cache/cached-response.js';
import { chargeCaller, chargeOf, chargeResponse, addPointHeaders } from '../callers/charges.js';
import { checkOrigin, isPreflight, type OriginRules, preflight } from '../callers/cors.js';
import { envelope, envelopeOf } from '../responses/envelope.js';
import { PROBLEM_TYPE } from '../responses/errors.js';
import { neighbourMethods, type SendFailure } from './paths.js';
import { ownAddress, queryOf } from './query.js';
import type { CachedResponse, ResponseCache, ResponseFill } from '../cache/response-cache.js';
import { earlyAnswer } from './early-answer.js';
import type { AnyRoute, RouteAnswer, RouteInput } from './route.js';
import { addVersionHeader } from '../responses/version.js';

export interface RestOptions {
  authenticate: Authenticate;
  origins: OriginRules;
  /** If false, catalog routes return 404 (contract §2). */
  catalogEnabled: boolean;
  /** Bytes of a response; streams are not counted. */
  maxResponseBytes: number;
  /** The response cache; undefined: nothing is cached. */
  answers?: ResponseCache;
  /** Bounds the database commands that each caller runs at the same time. */
  commandGate: CommandGate;
  clock(): number;
}

type AnyInput = RouteInput<unknown, unknown, unknown>;

const BODY_LIMIT = 262_144;

/** Registers every route, the responses for other methods of their paths, and the preflights. */
export function registerRoutes(app: FastifyInstance, routes: readonly AnyRoute[], options: RestOptions): void {
  readBodies(app);
  const { answers, clock } = options;
  if (answers) app.early.by.GET = (request) => earlyAnswer(request, answers, clock());
  for (const row of routes) {
    app.route({
      method: row.method,
      url: row.path,
      bodyLimit: row.bodyLimit ?? BODY_LIMIT,
      config: {
        streams: row.rawBody === true,
        free: row.neverWaits === true,
        alwaysServed: row.neverWaits === true || row.auth === 'operator',
        patienceMs: (row.patience ?? 0) * 1_000,
        ...(row.exactMember === undefined ? {} : { exactMember: row.exactMember }),
      },
      // Checked before the body is read, so that callers without rights cannot send megabytes first.
      onRequest: (request, reply, done) => {
        if (row.auth !== 'public' || (request.headers.origin !== undefined && !row.anyOrigin))
          return void admit(row, request, reply, options).then(() => done(), done);
        // No caller needs to be found and no origin checked, so nothing is awaited.
        void (row.anyOrigin ? reply.header('access-control-allow-origin', '*') : reply.header('vary', 'origin'));
        accept(row, request, ANONYMOUS, options);
        done();
      },
      handler: (request, reply) => handle(row, request, reply, options),
    });
  }
  const paths = methodsByPath(routes);
  for (const [path, methods] of paths) completePath(app, path, methods, options.origins);
  for (const [path, methods] of neighbourMethods(paths)) refuseNeighbours(app, path, methods);
  app.options('*', (request, reply) => answerOptions(app, request, reply, options.origins));
}

/** OPTIONS on a path without a route for it: preflights succeed everywhere, and `*` means the server (RFC 9110 §9.3.7). */
function answerOptions(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  origins: OriginRules,
): MaybePromise<FastifyReply> {
  const allow = app.paths.methodsOf(request);
  if (allow === undefined && !isPreflight(request) && request.url !== '*') return app.paths.refuse(request, reply);
  return preflight(origins, allow)(request, reply);
}

function methodsByPath(routes: readonly AnyRoute[]): Map<string, HTTPMethods[]> {
  const methods = new Map<string, HTTPMethods[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

/**
 * Refuses the methods that a path does not have and that Fastify would match with a neighbour's route. Neighbours' ids
 * are never equal to words of a path.
 */
function refuseNeighbours(app: FastifyInstance, path: string, methods: HTTPMethods[]): void {
  if (methods.length === 0) return;
  const refuse = (request: FastifyRequest, reply: FastifyReply) => app.paths.refuse(request, reply);
  // Refused in the first hook, so that the body is not read.
  app.route({
    method: methods,
    url: path,
    onRequest: (request, reply) => void refuse(request, reply),
    handler: refuse,
  });
}

/** The methods that paths have, in the order of `Allow`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];

/** Handles methods without a route on a path: OPTIONS, and 405 with `Allow` for all others. */
export function completePath(
  app: FastifyInstance,
  path: string,
  methods: readonly HTTPMethods[],
  origins: OriginRules,
  send?: SendFailure,
): void {
  const withHead =
    methods.includes('GET') && app.hasRoute({ method: 'HEAD', url: path }) ? [...methods, 'HEAD'] : methods;
  const allow = METHODS.filter((method) => [...withHead, 'OPTIONS'].includes(method));
  app.route({
    method: 'OPTIONS',
    url: path,
    handler: preflight(origins, allow),
    ...(send ? { errorHandler: send } : {}),
  });
  app.paths.add(path, allow, send);
}

/** All checks that do not need the body. @throws DomainError if the caller, origin or media type is refused. */
async function admit(row: AnyRoute, request: FastifyRequest, reply: FastifyReply, options: RestOptions): Promise<void> {
  // Private responses and refusals must not be cached.
  if (row.auth !== 'public') void reply.header('cache-control', 'no-store');
  // Checked before the token: a page must be able to read why its token was refused.
  await checkOrigin(options.origins, request, reply);
  const caller = row.auth === 'public' ? ANONYMOUS : await admitCaller(row, request, options.authenticate);
  if (caller.kind === 'partner') await checkOrigin(options.origins, request, reply, caller);
  addVersionHeader(reply, caller);
  accept(row, request, caller, options);
}

/** The checks that need not be awaited. @throws DomainError. */
function accept(row: AnyRoute, request: FastifyRequest, caller: Caller, options: RestOptions): void {
  if (row.catalog && !options.catalogEnabled) throw catalogClosed();
  checkAccept(request, row.produces ?? JSON_TYPE);
  checkContentType(row, request);
  if (!row.neverWaits) chargeCaller(request, caller);
  request.facts.caller = caller;
}

function handle(
  row: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
): MaybePromise<FastifyReply> {
  const { answers, clock } = options;
  if (row.endless && request.method === 'HEAD') return headersOf(row, request, reply, options);
  if (!answers || !row.cacheable || !isAnonymous(request))
    return answerTo(row, request, options).then((answer) => send(row, answer, reply, options));
  const address = ownAddress(row, request);
  return after(answerOf(answers, address), (entry) =>
    entry
      ? sendCached(request, reply, entry, clock())
      : handleFilling(row, request, reply, options, answers.begin(address, row.path)),
  );
}

/** Responds to HEAD for a route whose response may never end: checks the input and does not run the handler. */
async function headersOf(
  row: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
): Promise<FastifyReply> {
  inputOf(row, request, options);
  return send(row, { body: {} }, reply, options);
}

/** Handles a cache miss of a cacheable route. */
async function handleFilling(
  row: AnyRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RestOptions,
  fill: ResponseFill | undefined,
): Promise<FastifyReply> {
  try {
    const answer = await answerTo(row, request, options, fill?.reads);
    const entry = fill?.keep(jsonOf(answer.body, options.maxResponseBytes));
    if (entry) chargeResponse(request, entry.body.length);
    return entry ? sendCached(request, reply, entry, options.clock()) : send(row, answer, reply, options);
  } finally {
    fill?.end();
  }
}

function sendCached(request: FastifyRequest, reply: FastifyReply, answer: CachedResponse, now: number): FastifyReply {
  addPointHeaders(request, reply);
  tag(request, reply, answer);
  if (hasIt(request, answer)) return reply.code(304).send();
  return reply.type(`${JSON_TYPE}; charset=utf-8`).send(envelopeOf(answer.body, now));
}

function answerTo(row: AnyRoute, request: FastifyRequest, options: RestOptions, reads?: Reads): Promise<RouteAnswer> {
  const input = inputOf(row, request, options, reads);
  if (row.neverWaits) return row.handle(input);
  chargeOf(request).take(pointsOf(row, input));
  if (row.patience !== undefined) return row.handle(input);
  const { caller, address } = input;
  return options.commandGate.run({ caller, address, hasLeft: () => request.raw.socket.destroyed }, async () => {
    const answer = await row.handle(input);
    if (answer.points !== undefined) chargeOf(request).spend(answer.points);
    return answer;
  });
}

/** Points of routes without points of their own: of a GET, and of other methods. */
const READ_POINTS = 4;
const WRITE_POINTS = 20;

function pointsOf({ method, points }: AnyRoute, input: AnyInput): number {
  if (points === undefined) return method === 'GET' ? READ_POINTS : WRITE_POINTS;
  return typeof points === 'number' ? points : points(input);
}

/** @throws DomainError BAD_USER_INPUT. */
function inputOf(row: AnyRoute, request: FastifyRequest, options: RestOptions, reads?: Reads): AnyInput {
  return {
    params: row.params ? parseInput(row.params, request.params) : {},
    query: queryOf(row, request),
    body: row.body ? parseInput(row.body, request.body) : undefined,
    headers: request.headers as Record<string, string | undefined>,
    caller: inRequest(request.facts.caller, request.id),
    requestId: request.id,
    now: options.clock(),
    address: request.facts.address,
    ...(row.rawBody && request.body instanceof Readable ? { stream: request.body } : {}),
    ...(reads ? { reads } : {}),
  };
}

/** @throws DomainError NOT_ACCEPTABLE when the accept header excludes the route's media types. */
export function checkAccept({ headers: { accept } }: FastifyRequest, produces: string | readonly string[]): void {
  // The usual values.
  if (accept === undefined || accept === '*/*') return;
  const types = [produces].flat();
  if (accepts(accept, [...types, PROBLEM_TYPE])) return;
  throw new DomainError(
    'NOT_ACCEPTABLE',
    `This route returns ${types.join(' or ')}, which the accept header excludes.`,
  );
}

function checkContentType(row: AnyRoute, { headers }: FastifyRequest): void {
  const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
  if (empty || (row.body === undefined && !row.rawBody)) return;
  const types = row.rawBody ? NDJSON_TYPES : [JSON_TYPE];
  if (types.includes(essence(headers['content-type'] ?? ''))) return;
  throw new DomainError('UNSUPPORTED_MEDIA_TYPE', `This route reads ${types[0]}; the content-type says otherwise.`);
}

/** The text of a response. @throws DomainError QUERY_TOO_LARGE. */
function jsonOf(body: unknown, maxBytes: number): string {
  const text = writeJson(body);
  checkResponseSize(text, maxBytes);
  return text;
}

/** The media type of a JSON response: if the route has several, the one that the client prefers. */
function jsonTypeOf({ produces = JSON_TYPE }: AnyRoute, { request }: FastifyReply): string {
  const type = typeof produces === 'string' ? JSON_TYPE : bestOf(request.headers.accept, produces);
  return type === JSON_TYPE ? `${JSON_TYPE}; charset=utf-8` : type;
}

function send(row: AnyRoute, answer: RouteAnswer, reply: FastifyReply, options: RestOptions): FastifyReply {
  const { request } = reply;
  const text = answer.contentType === undefined && answer.status !== 204 ? textOf(row, answer, options) : answer.body;
  if (typeof text === 'string') chargeResponse(request, Buffer.byteLength(text));
  addPointHeaders(request, reply);
  if (Array.isArray(row.produces)) void reply.header('vary', 'origin, accept');
  void reply.code(answer.status ?? 200).headers(answer.headers ?? {});
  if (answer.status === 204) return reply.send();
  return reply.type(answer.contentType ?? jsonTypeOf(row, reply)).send(text);
}

const textOf = ({ catalog }: AnyRoute, { body }: RouteAnswer, { clock, maxResponseBytes }: RestOptions): string =>
  jsonOf(catalog ? envelope(body, clock()) : body, maxResponseBytes);
