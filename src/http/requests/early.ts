// A request that has not been routed: what it costs, and what the router continues with if it is not answered before.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ANONYMOUS } from '../../base/callers/caller.js';
import { Charge } from '../../base/callers/points.js';
import type { Bucket } from '../../base/concurrency/bucket.js';
import { ARRIVAL_POINTS, BYTES_PER_POINT } from '../callers/charges.js';
import type { HttpFacts } from './request-facts.js';

/** A complete response of status 200. */
export interface EarlyAnswer {
  /** The route that responds to other requests of the kind, for metrics. */
  route: string;
  /** JSON. */
  body: Buffer | string;
  /** Names and values in turns. */
  headers: readonly string[];
}

/** Responds to a request; undefined: the router does. */
export type AnswerEarly = (request: EarlyRequest) => EarlyAnswer | undefined;

/** A request that has not been routed. */
export class EarlyRequest {
  readonly id = randomUUID();
  readonly arrivedAt = performance.now();
  /** Set once the work has begun, and the caller is charged. */
  facts: HttpFacts | undefined;

  constructor(
    readonly raw: IncomingMessage,
    readonly address: string,
    readonly bucket: Bucket,
    /** The body's text; empty for a GET. */
    readonly text: string,
    private readonly bytes: number,
  ) {}

  /** Points that the request costs before its operation. */
  get points(): number {
    return ARRIVAL_POINTS + this.bytes / BYTES_PER_POINT;
  }

  /** Charges the caller for a cached response. */
  pay(): void {
    this.bucket.spend(this.points);
  }

  /** Charges the caller, and begins the work, with which the router continues if it is not answered here. */
  begin(): HttpFacts {
    const charge = new Charge(this.bucket);
    charge.take(ARRIVAL_POINTS);
    charge.spend(this.bytes / BYTES_PER_POINT);
    const { address, arrivedAt, text: bodyText } = this;
    this.facts = {
      arrivedAt,
      address,
      bodyText,
      charge,
      caller: ANONYMOUS,
      route: {},
      cached: undefined,
      fill: undefined,
    };
    return this.facts;
  }
}

/** On the message itself: a WeakMap with an entry for each request would make collecting garbage slow. */
const BEGUN = Symbol('begun');
type Message = IncomingMessage & { [BEGUN]?: EarlyRequest };

/** Leaves a request to the router, which continues what has begun. */
export function handOver(raw: Message, request: EarlyRequest): void {
  raw[BEGUN] = request;
}

/** The request that has begun before it was routed. */
export const begunRequest = (raw: Message): EarlyRequest | undefined => raw[BEGUN];
