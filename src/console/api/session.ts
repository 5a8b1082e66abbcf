// The caller: nobody, a partner with a token or with its key, or an operator with a key. The credential is only in
// memory: after a reload, the console asks for it again.
import { useLayoutEffect, useState } from 'preact/hooks';
import { forgetDrafts } from './drafts.js';
import { isRefusedToken } from './fault.js';
import { forgetSentFiles } from './sent-files.js';

/** Signs or returns the token for the next request. */
type TokenSource = () => Promise<string>;

export interface Session {
  kind: 'partner' | 'operator';
  /** Where the partner's tokens come from. */
  by: 'token' | 'key';
  /** The header field of the credential. */
  header: 'x-partner-auth' | 'x-admin-api-key';
  /** The partner that the token is for, if the token says so. */
  partnerId?: string;
  credential: TokenSource;
}

let session: Session | undefined;
const listeners = new Set<(session: Session | undefined) => void>();

export function setSession(next: Session | undefined): void {
  if (session !== undefined) {
    forgetDrafts();
    forgetSentFiles();
  }
  session = next;
  setRefused(false);
  for (const listener of listeners) listener(next);
}

/** The caller of this moment. */
export const currentSession = (): Session | undefined => session;

export const useSession = (): Session | undefined => useValue(listeners, () => session);

/** The current value of a variable of this module, and each later one. */
function useValue<Value>(own: Set<(value: Value) => void>, current: () => Value): Value {
  const [value, setValue] = useState(current);
  // No change is missed between the rendering and what follows it: the effect is synchronous.
  useLayoutEffect(() => {
    const set = (next: Value): void => setValue(() => next);
    own.add(set);
    return () => void own.delete(set);
  }, [own]);
  return value;
}

/**
 * Fetches as the caller. If the token is refused, the request is sent again with the newer one that the person has
 * given meanwhile; without one, the person is asked.
 */
export async function fetchAsCaller(url: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const caller = session;
  for (;;) {
    const credential = caller?.credential;
    const headers = caller && credential ? { ...init.headers, [caller.header]: await credential() } : init.headers;
    const response = await fetch(url, { ...init, ...(headers && { headers }) });
    // After leaving, nothing is sent again as somebody else.
    if (!isRefusedToken(response) || session !== caller) return response;
    if (caller?.credential === credential) {
      setRefused(true);
      return response;
    }
  }
}

/** A partner's session with a token that was pasted. */
export function byToken(text: string): Session {
  const partnerId = partnerOf(text);
  return {
    kind: 'partner',
    by: 'token',
    header: 'x-partner-auth',
    ...(partnerId !== undefined && { partnerId }),
    credential: async () => text.trim(),
  };
}

let isRefused = false;
const refusals = new Set<(isRefused: boolean) => void>();
const renewals = new Set<() => void>();

/** Whether the gateway has refused the caller's token or key, for example because it has expired or was withdrawn. */
function setRefused(next: boolean): void {
  isRefused = next;
  for (const listener of refusals) listener(next);
}

export const useIsRefused = (): boolean => useValue(refusals, () => isRefused);

/** Calls the function when there is a newer token; returns a function that ends this. */
export function onRenewed(call: () => void): () => void {
  renewals.add(call);
  return () => void renewals.delete(call);
}

/** Resolves when there is a newer token than the refused one, or when the signal is aborted. */
export const renewed = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!isRefused) return resolve();
    const forget = onRenewed(end);
    signal.addEventListener('abort', end);
    function end(): void {
      forget();
      resolve();
    }
  });

/**
 * Replaces the credential by a newer one: a token of the same partner, or another key of an operator. What is shown and
 * typed stays. @throws Error with a sentence for the reader if it is no such token.
 */
export function renew(text: string): void {
  const next = session?.kind === 'operator' ? byOperatorKey(text) : byToken(text);
  if (session?.partnerId !== undefined && next.partnerId !== session.partnerId)
    throw new Error('This is no token of the same partner; leave first to enter as another one.');
  if (session !== undefined) Object.assign(session, next);
  setRefused(false);
  for (const call of [...renewals]) call();
}

/** The partner that a token names. It is not verified here. */
function partnerOf(token: string): string | undefined {
  const [, claims = ''] = token.split('.');
  try {
    const { partnerId } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { partnerId?: unknown };
    return typeof partnerId === 'string' ? partnerId : undefined;
  } catch {
    return undefined;
  }
}

/** An operator's session with a key. */
export function byOperatorKey(text: string): Session {
  return { kind: 'operator', by: 'key', header: 'x-admin-api-key', credential: async () => text.trim() };
}

const LIFETIME_S = 300;
/** A new token is signed when the last one is valid for less time than this, seconds. */
const LEFT_S = 60;
const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * A partner's session by the key file of `partner create`. The key is imported so that no script can read it again, and
 * is never sent or stored.
 * @throws Error with a sentence for the reader if it is no key file.
 */
export async function byKeyFile(text: string): Promise<Session> {
  const { kid, partnerId, ...jwk } = parsed(text);
  if (typeof kid !== 'string' || typeof partnerId !== 'string')
    throw new Error('This file has no partner: choose the one that “partner create” wrote.');
  const key = await crypto.subtle.importKey('jwk', jwk as JsonWebKey, ES256, false, ['sign']).catch(() => {
    throw new Error('This file has no private key of P-256.');
  });
  let signed: { token: string; endsAt: number } | undefined;
  const credential = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    if (signed === undefined || signed.endsAt - now < LEFT_S)
      signed = {
        token: await sign(key, kid, { partnerId, scope: 'issue verify', iat: now, exp: now + LIFETIME_S }),
        endsAt: now + LIFETIME_S,
      };
    return signed.token;
  };
  return { kind: 'partner', by: 'key', header: 'x-partner-auth', partnerId, credential };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error('This file is not JSON.');
  }
}

async function sign(key: CryptoKey, kid: string, claims: object): Promise<string> {
  const text = `${encoded({ alg: 'ES256', typ: 'JWT', kid })}.${encoded(claims)}`;
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, new TextEncoder().encode(text));
  return `${text}.${base64url(new Uint8Array(signature))}`;
}

const encoded = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)));

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
