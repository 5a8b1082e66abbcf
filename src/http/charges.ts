// What requests cost before it is known what they ask for, and how callers are told (draft-ietf-httpapi-ratelimit-headers-10).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANONYMOUS, type Caller } from '../base/caller.js';
import { type DomainError, toDomainError } from '../base/errors.js';
import { Charge, type Points, SAVED_SECONDS, spent } from '../base/points.js';
import type { Headers } from './authenticate.js';
import { CREDENTIALS } from './cached-response.js';

/** What every request costs; an answer from memory costs no more. */
export const ARRIVAL_POINTS = 1;
/** What a key or token costs that is none. */
const WRONG_POINTS = 20;
/** Reading a body. */
const BYTES_PER_POINT = 8_192;

const FREE = new Charge(undefined);

/** The charge of a request; of one that costs nothing, a charge to nobody. */
export function chargeOf({ charge }: FastifyRequest): Charge {
  return charge ?? FREE;
}

/** Charges a request to its address, unless it shows who calls: then it waits for `chargeCaller`. @returns why it is refused. */
export function chargeArrival(request: FastifyRequest, points: Points): DomainError | undefined {
  if (request.routeOptions.config.free || (showsCaller(request) && isAsked(request))) return undefined;
  const charge = points.chargeTo(ANONYMOUS, request.ip);
  request.charge = charge;
  const { bucket } = charge;
  // A refusal that leaves in its turn costs nothing: whoever waits is served again.
  if (bucket !== undefined && bucket.left < ARRIVAL_POINTS) return spent(bucket, ARRIVAL_POINTS);
  charge.take(ARRIVAL_POINTS);
  return undefined;
}

/** Charges a request to whom it is from, if it is not charged already. @throws DomainError RATE_LIMITED. */
export function chargeCaller(request: FastifyRequest, caller: Caller): void {
  if (request.charge !== undefined) return;
  request.charge = request.server.points.chargeTo(caller, request.ip);
  request.charge.take(ARRIVAL_POINTS);
}

/** Charges a body that was read. */
export function chargeBody(request: FastifyRequest, { length }: string): void {
  request.charge?.spend(length / BYTES_PER_POINT);
}

/**
 * Finds out who somebody is. Keys and tokens that are none are charged to their address; the operator's key is looked at whatever was tried before.
 * @throws DomainError FORBIDDEN, RATE_LIMITED.
 */
export async function identified<T>(
  points: Points,
  address: string,
  shown: Headers,
  identify: () => Promise<T>,
): Promise<T> {
  const bucket = points.ofWrongCredentials(address);
  if (shown['x-admin-api-key'] === undefined && bucket.left < 0) throw spent(bucket, 0);
  try {
    return await identify();
  } catch (error) {
    if (toDomainError(error).code === 'FORBIDDEN') bucket.spend(WRONG_POINTS);
    throw error;
  }
}

/** Tells a REST client how many points it has. */
export function tellPoints(request: FastifyRequest, reply: FastifyReply): void {
  const bucket = request.charge?.bucket;
  if (bucket === undefined) return;
  const { left, capacity, perSecond } = bucket;
  const [remaining, untilFull] = [Math.max(0, Math.floor(left)), Math.ceil((capacity - left) / perSecond)];
  void reply.header('ratelimit-policy', `"points";q=${capacity};w=${SAVED_SECONDS}`);
  void reply.header('ratelimit', `"points";r=${remaining};t=${untilFull}`);
}

const showsCaller = ({ headers }: FastifyRequest): boolean => CREDENTIALS.some((name) => headers[name] !== undefined);

/** Whether the request comes to a handler that asks who calls. */
const isAsked = ({ is404, method }: FastifyRequest): boolean => !is404 && method !== 'OPTIONS';
