// What each request costs before its operation is known, and the headers that report a caller's points
// (draft-ietf-httpapi-ratelimit-headers-10).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../../base/callers/caller.js';
import type { Bucket } from '../../base/concurrency/bucket.js';
import { type DomainError, toDomainError } from '../../base/errors.js';
import { Charge, outOfPoints, type Points, SAVED_SECONDS } from '../../base/callers/points.js';
import type { Headers } from './authenticate.js';
import { CREDENTIALS } from '../cache/cached-response.js';

/** The cost of every request; a cached response costs no more. */
export const ARRIVAL_POINTS = 1;
/** The cost of an invalid key or token. */
const WRONG_POINTS = 20;
/** Bytes of a body that cost one point. */
export const BYTES_PER_POINT = 8_192;

/** Bytes of a response that cost nothing, and how many of the others cost one point. */
const FREE_RESPONSE_BYTES = 16_384;
const RESPONSE_BYTES_PER_POINT = 1_024;

const FREE = new Charge(undefined);

/** The charge of a request. It has no bucket if the request is free. */
export function chargeOf({ facts }: Pick<FastifyRequest, 'facts'>): Charge {
  return facts.charge ?? FREE;
}

/**
 * Charges a request without credentials to its address; `chargeCaller` charges all others. @returns why it is refused.
 */
export function chargeArrival(request: FastifyRequest, points: Points): DomainError | undefined {
  const { facts } = request;
  // Charged before, if it began before it was routed.
  if (facts.charge || facts.route.free || (hasCredentials(request) && hasHandler(request))) return undefined;
  const charge = points.chargeTo(ANONYMOUS, facts.address);
  facts.charge = charge;
  const { bucket } = charge;
  // The refusal costs no points, because it is delayed: a client that waits can be served again.
  if (bucket !== undefined && bucket.left < ARRIVAL_POINTS) return outOfPoints(bucket, ARRIVAL_POINTS);
  charge.take(ARRIVAL_POINTS);
  return undefined;
}

/** Charges a request to its caller, unless it is already charged. @throws DomainError RATE_LIMITED. */
export function chargeCaller(request: FastifyRequest, caller: Caller): void {
  const { facts, server } = request;
  if (facts.charge !== undefined) return;
  facts.charge = server.points.chargeTo(caller, facts.address);
  facts.charge.take(ARRIVAL_POINTS);
}

/** Charges for a body that was read, whether or not it is valid. */
export function chargeBody({ facts }: FastifyRequest, { length }: Buffer): void {
  // It is charged before, if the request began before it was routed.
  if (facts.bodyText === undefined) facts.charge?.spend(length / BYTES_PER_POINT);
}

/** Charges for a long response that was computed for the request. */
export function chargeResponse(request: Pick<FastifyRequest, 'facts'>, bytes: number): void {
  if (bytes > FREE_RESPONSE_BYTES) chargeOf(request).spend((bytes - FREE_RESPONSE_BYTES) / RESPONSE_BYTES_PER_POINT);
}

/**
 * Identifies a caller. Invalid keys and tokens are charged to the address. The operator's key is always checked, even
 * if the address has no points left.
 * @throws DomainError FORBIDDEN, RATE_LIMITED.
 */
export async function identified<T>(
  points: Points,
  address: string,
  headers: Headers,
  identify: () => Promise<T>,
): Promise<T> {
  const bucket = points.ofWrongCredentials(address);
  if (headers['x-admin-api-key'] === undefined && bucket.left < 0) throw outOfPoints(bucket, 0);
  try {
    return await identify();
  } catch (error) {
    if (toDomainError(error).code === 'FORBIDDEN') bucket.spend(WRONG_POINTS);
    throw error;
  }
}

/** Sets the headers with a REST client's points. */
export function addPointHeaders({ facts }: FastifyRequest, reply: FastifyReply): void {
  const bucket = facts.charge?.bucket;
  if (bucket === undefined) return;
  for (const [name, value] of pointHeaders(bucket)) void reply.header(name, value);
}

/** The headers with the points of a bucket. */
export function pointHeaders({ left, capacity, perSecond }: Bucket): [string, string][] {
  const [remaining, untilFull] = [Math.max(0, Math.floor(left)), Math.ceil((capacity - left) / perSecond)];
  return [
    ['ratelimit-policy', `"points";q=${capacity};w=${SAVED_SECONDS}`],
    ['ratelimit', `"points";r=${remaining};t=${untilFull}`],
  ];
}

const hasCredentials = ({ headers }: FastifyRequest): boolean =>
  CREDENTIALS.some((name) => headers[name] !== undefined);

/** Whether the request has a route, whose handler identifies the caller. */
const hasHandler = ({ is404, method }: FastifyRequest): boolean => !is404 && method !== 'OPTIONS';
