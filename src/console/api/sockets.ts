// The WebSockets of this page: one for public subscriptions, one for the caller's. Browsers have few HTTP connections to a host, which event streams
// would use up; WebSockets are not among them. A page that nobody sees has no socket: they are closed when it is left, and after half a minute out of sight.
import { type Client, createClient } from 'graphql-ws';
import { currentSession, type Session } from './session.js';

/** How long a page is out of sight until its sockets are closed, milliseconds. */
const UNSEEN_MS = 30_000;

let ofNobody: Client | undefined;
let ofCaller: { session: Session; client: Client } | undefined;

/** The socket of anonymous subscriptions. It is connected while there are any. */
export function publicSocket(): Client {
  ofNobody ??= newSocket();
  return ofNobody;
}

/** The socket of the present caller; for nobody, the public one. A token that is signed or given anew takes effect when it connects again. */
export function callersSocket(): Client {
  const session = currentSession();
  if (session === undefined) return publicSocket();
  if (ofCaller?.session !== session) ofCaller = { session, client: newSocket(session) };
  return ofCaller.client;
}

const newSocket = (session?: Session): Client =>
  createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    // Subscriptions are begun again by `follow`, which knows where they stopped.
    retryAttempts: 0,
    ...(session && { connectionParams: async () => ({ [session.header]: await session.credential() }) }),
  });

let isUnseen = false;
const sights = new Set<() => void>();

/** Whether the sockets are closed because nobody sees the page. */
export const isPageUnseen = (): boolean => isUnseen;

/** Resolves while the page is seen, or when the signal is aborted. */
export const pageSeen = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!isUnseen) return resolve();
    sights.add(end);
    signal.addEventListener('abort', end);
    function end(): void {
      sights.delete(end);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });

function leave(): void {
  isUnseen = true;
  ofNobody?.terminate();
  ofCaller?.client.terminate();
}

function see(): void {
  isUnseen = false;
  for (const sight of [...sights]) sight();
}

let timer: ReturnType<typeof setTimeout> | undefined;
function look(): void {
  clearTimeout(timer);
  if (document.visibilityState === 'visible') see();
  else timer = setTimeout(leave, UNSEEN_MS);
}
document.addEventListener('visibilitychange', look);
// A page in the back/forward cache keeps its connections, if it does not close them.
addEventListener('pagehide', leave);
addEventListener('pageshow', look);
look();
