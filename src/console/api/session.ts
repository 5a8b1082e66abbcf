// Who is calling: nobody, or a partner with a token or with its key. In memory alone: after a reload it is asked for again.
import { useEffect, useState } from 'preact/hooks';

/** Signs or returns the token for the next request. */
type TokenSource = () => Promise<string>;

export interface Session {
  partnerId: string | undefined;
  /** Where its tokens come from. */
  by: 'token' | 'key';
  token: TokenSource;
}

let session: Session | undefined;
const listeners = new Set<(session: Session | undefined) => void>();

export const currentSession = (): Session | undefined => session;

export function setSession(next: Session | undefined): void {
  session = next;
  for (const listener of listeners) listener(next);
}

export function useSession(): Session | undefined {
  const [value, setValue] = useState(session);
  useEffect(() => {
    listeners.add(setValue);
    return () => void listeners.delete(setValue);
  }, []);
  return value;
}

/** The headers of the caller. */
export async function callerHeaders(): Promise<Record<string, string>> {
  return session === undefined ? {} : { 'x-partner-auth': await session.token() };
}

/** A session by a token that was pasted. */
export function byToken(text: string): Session {
  const token = text.trim();
  return { partnerId: claimsOf(token)?.partnerId, by: 'token', token: async () => token };
}

/** The claims of a token as it says them; the gateway checks them. */
function claimsOf(token: string): { partnerId?: string } | undefined {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { partnerId?: string };
  } catch {
    return undefined;
  }
}

const LIFETIME_S = 300;
/** A token is signed anew when it has less left, seconds. */
const LEFT_S = 60;
const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/**
 * A session by the key file of `partner create`. The key is imported so that no script can read it again, and is never sent or stored.
 * @throws Error with a sentence for the reader if the file is none.
 */
export async function byKeyFile(text: string): Promise<Session> {
  const { kid, partnerId, ...jwk } = parsed(text);
  if (typeof kid !== 'string' || typeof partnerId !== 'string')
    throw new Error('This file has no partner: choose the one that “partner create” wrote.');
  const key = await crypto.subtle.importKey('jwk', jwk as JsonWebKey, ES256, false, ['sign']).catch(() => {
    throw new Error('This file has no private key of P-256.');
  });
  let signed: { token: string; endsAt: number } | undefined;
  const token = async (): Promise<string> => {
    const now = Math.floor(Date.now() / 1_000);
    if (signed === undefined || signed.endsAt - now < LEFT_S)
      signed = {
        token: await sign(key, kid, { partnerId, scope: 'issue verify', iat: now, exp: now + LIFETIME_S }),
        endsAt: now + LIFETIME_S,
      };
    return signed.token;
  };
  return { partnerId, by: 'key', token };
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
