// Where a browser has the secret of a page: in a cookie, so that a reload shows the page. Its address and its forms have an id, which is of no use alone.
import { randomBytes } from 'node:crypto';
import type { ProtocolRequest } from '../../http/protocols/protocol-routes.js';
import { PAGE_MS } from './authorizations.js';

const ID_BYTES = 16;
const ID = /^[\w-]{22}$/;

/** A new id. */
export const newPageId = (): string => randomBytes(ID_BYTES).toString('base64url');

/** Whether a member of a request is the id of a page. */
export const isPageId = (given: unknown): given is string => typeof given === 'string' && ID.test(given);

/** The secret of a page, if the request is of the browser that opened it. */
export function pageSecretOf({ headers }: ProtocolRequest, id: string, publicUrl: string): string | undefined {
  const start = `${nameOf(id, publicUrl)}=`;
  const cookie = headers.cookie?.split('; ').find((one) => one.startsWith(start));
  return cookie?.slice(start.length);
}

/** The cookie of a page. Requests from pages of other sites have it only when they send the browser here by GET. */
export function pageCookie(id: string, secret: string, publicUrl: string): string {
  const secure = isHttps(publicUrl) ? '; Secure' : '';
  return `${nameOf(id, publicUrl)}=${secret}; Path=/; Max-Age=${PAGE_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`;
}

/** `__Host-` cookies cannot be set by other hosts of the same domain. */
const nameOf = (id: string, publicUrl: string): string => `${isHttps(publicUrl) ? '__Host-' : ''}page-${id}`;

const isHttps = (url: string): boolean => url.startsWith('https:');
