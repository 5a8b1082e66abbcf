// Follows subscriptions over the page's WebSockets. Each is begun again after an interruption, and after the page was out of sight.
import type { Client } from 'graphql-ws';
import { type GeneratedDocument, hashOf } from './client.js';
import { type Fault, faultOfResponse, type GivenError, givenFault } from './fault.js';
import { CallerDocument } from './generated/graphql.js';
import { fetchAsCaller, renewed } from './session.js';
import { callersSocket, isPageUnseen, pageSeen } from './sockets.js';

interface Follower<Data> {
  next(data: Data): void;
  /** The subscription is in effect; `isAgain` is true after an interruption. */
  opened?(isAgain: boolean): void;
  /** The subscription is interrupted. It is begun again if the fault is temporary, or once there is another token. */
  interrupted?(fault: Fault): void;
  /** The gateway has ended the subscription: no more events will come. */
  ended?(): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows a subscription until the returned function is called.
 * @param variables called before each attempt, so that the next one can begin after what was read
 * @param socket the socket that it is sent over; that of public subscriptions is not the caller's
 */
export function follow<Data, Variables>(
  document: GeneratedDocument<Data, Variables>,
  variables: () => Variables,
  follower: Follower<Data>,
  socket: () => Client = callersSocket,
): () => void {
  const stop = new AbortController();
  void run({ document, variables, socket }, follower, stop.signal);
  return () => stop.abort();
}

interface Followed<Data, Variables> {
  document: GeneratedDocument<Data, Variables>;
  variables(): Variables;
  socket(): Client;
}

async function run<Data, Variables>(
  followed: Followed<Data, Variables>,
  follower: Follower<Data>,
  signal: AbortSignal,
): Promise<void> {
  let wasOpen = false;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    await pageSeen(signal);
    if (signal.aborted) return;
    const opened = (): void => {
      follower.opened?.(wasOpen);
      wasOpen = true;
      pauseMs = FIRST_PAUSE_MS;
    };
    const fault = await read(followed, { next: follower.next, opened }, signal);
    if (signal.aborted) return;
    if (isPageUnseen()) continue;
    if (fault === undefined) return follower.ended?.();
    follower.interrupted?.(fault);
    if (fault.needsToken) await renewed(signal);
    else if (fault.isPassing) await pause(pauseMs, signal);
    else return;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** Reads one subscription to its end. Returns why it was interrupted, if it was. */
function read<Data, Variables>(
  { document, variables, socket }: Followed<Data, Variables>,
  { next, opened }: { next(data: Data): void; opened(): void },
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const client = socket();
  return new Promise((resolve) => {
    let fault: Fault | undefined;
    let hasEnded = false;
    const end = (last: Fault | undefined): void => {
      hasEnded = true;
      resolve(last);
    };
    const unsubscribe = client.subscribe<Data>(
      { query: '', variables: variables() as Record<string, unknown>, extensions: byHash(document) },
      {
        next({ data, errors: [error] = [] }) {
          if (error !== undefined) fault = givenFault(error as GivenError);
          else if (data) next(data);
        },
        error: (error) => void faultOfSocket(error).then(end),
        complete: () => end(fault),
      },
    );
    // The protocol does not report that a subscription is in effect. A query that is sent after it, over the same socket, is answered later.
    const asked = client.subscribe(
      { query: '', extensions: byHash(CallerDocument) },
      { next: () => !hasEnded && opened(), error: () => {}, complete: () => {} },
    );
    signal.addEventListener('abort', () => {
      asked();
      unsubscribe();
      end(undefined);
    });
  });
}

const byHash = <Data, Variables>(document: GeneratedDocument<Data, Variables>) => ({
  persistedQuery: { version: 1, sha256Hash: hashOf(document) },
});

/** The gateway's close codes (docs/graphql.md). */
const FORBIDDEN = 4403;
const TOO_MANY = 4430;

/** Why a subscription was refused, with its errors, or why its socket was closed. */
async function faultOfSocket(error: unknown): Promise<Fault> {
  if (Array.isArray(error)) return givenFault(error[0] as GivenError);
  const { code } = error as { code?: number };
  if (code === FORBIDDEN) return refusal();
  if (code === TOO_MANY)
    return { code: 'RATE_LIMITED', sentence: 'Too many pages and programs follow changes at once.', isPassing: true };
  return faultOfResponse(undefined);
}

/** A closed socket does not say why its caller was refused; the response of a request does. */
async function refusal(): Promise<Fault> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ documentId: hashOf(CallerDocument) });
  const response = await fetchAsCaller('/graphql', { method: 'POST', headers, body }).catch(() => undefined);
  const { errors: [given] = [] } = ((await response?.json().catch(() => undefined)) ?? {}) as { errors?: GivenError[] };
  if (given !== undefined) return givenFault(given, response);
  // The token of an open socket has ended, and there is another one by now.
  return response?.ok ? { sentence: 'The connection was closed.', isPassing: true } : faultOfResponse(response);
}

/** Resolves after about this time, or when the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random()));
    signal.addEventListener('abort', () => resolve());
  });
