// Follows subscriptions. Each has an event stream of its own, which is opened again after an interruption.
import { createClient, NetworkError } from 'graphql-sse';
import { type GeneratedDocument, hashOf } from './client.js';
import { type Fault, faultOfResponse, type GivenError, givenFault } from './fault.js';
import { fetchAsCaller, renewed } from './session.js';

interface Follower<Data> {
  next(data: Data): void;
  /** The stream is open; `isAgain` is true after an interruption. */
  opened?(isAgain: boolean): void;
  /** The stream is interrupted. It is opened again if the fault is temporary, or once there is another token. */
  interrupted?(fault: Fault): void;
  /** The gateway has ended the stream: no more events will come. */
  ended?(): void;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Follows a subscription until the returned function is called.
 * @param variables called before each attempt, so that the next one can begin after what was read
 * @param send how requests are sent; those of a public subscription are not the caller's
 */
export function follow<Data, Variables>(
  document: GeneratedDocument<Data, Variables>,
  variables: () => Variables,
  follower: Follower<Data>,
  send: typeof fetch = fetchAsCaller,
): () => void {
  const stop = new AbortController();
  void run({ document, variables, send }, follower, stop.signal);
  return () => stop.abort();
}

interface Followed<Data, Variables> {
  document: GeneratedDocument<Data, Variables>;
  variables(): Variables;
  send: typeof fetch;
}

async function run<Data, Variables>(
  followed: Followed<Data, Variables>,
  follower: Follower<Data>,
  signal: AbortSignal,
): Promise<void> {
  let wasOpen = false;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const opened = (): void => {
      follower.opened?.(wasOpen);
      wasOpen = true;
      pauseMs = FIRST_PAUSE_MS;
    };
    const fault = await readStream(followed, { next: follower.next, opened }, signal);
    if (signal.aborted) return;
    if (fault === undefined) return follower.ended?.();
    follower.interrupted?.(fault);
    if (fault.needsToken) await renewed(signal);
    else if (fault.isPassing) await pause(pauseMs, signal);
    else return;
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}

/** Reads one stream to its end. Returns why it was interrupted, if it was. */
function readStream<Data, Variables>(
  { document, variables, send }: Followed<Data, Variables>,
  { next, opened }: { next(data: Data): void; opened(): void },
  signal: AbortSignal,
): Promise<Fault | undefined> {
  const stream = createClient({ url: '/graphql', fetchFn: send, retryAttempts: 0, on: { connected: opened } });
  const extensions = { persistedQuery: { version: 1, sha256Hash: hashOf(document) } };
  return new Promise((resolve) => {
    let fault: Fault | undefined;
    signal.addEventListener('abort', () => {
      stream.dispose();
      resolve(undefined);
    });
    stream.subscribe<Data>(
      { query: '', variables: variables() as Record<string, unknown>, extensions },
      {
        next({ data, errors: [error] = [] }) {
          if (error !== undefined) fault = faultInStream(error as GivenError);
          else if (data) next(data);
        },
        error: (error) => void faultOfStream(error).then(resolve),
        complete: () => resolve(fault),
      },
    );
  });
}

/** The token of an open stream has ended: it is opened again, by a key file with a token that is signed anew. */
function faultInStream(error: GivenError): Fault {
  const fault = givenFault(error);
  return fault.code === 'FORBIDDEN' ? { ...fault, isPassing: true } : fault;
}

async function faultOfStream(error: unknown): Promise<Fault> {
  const response = error instanceof NetworkError ? (error.response as Response | undefined) : undefined;
  const body = (await response?.json().catch(() => undefined)) as { errors?: GivenError[] } | undefined;
  const [given] = body?.errors ?? [];
  return given === undefined ? faultOfResponse(response) : givenFault(given, response);
}

/** Resolves after about this time, or when the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms * (0.5 + Math.random()));
    signal.addEventListener('abort', () => resolve());
  });
