// HTTP as the specifications ask for it: no redirects followed, exact media types, and nothing secret that a cache may keep.
import { isObject, type Json, must, textOf } from './faults.js';

export interface Answer {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

export interface Call {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** A form, or JSON. */
  form?: Record<string, string>;
  json?: object;
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** An absolute address without fragment, by https; http is for this machine alone. */
export function addressOf(value: unknown, name: string): string {
  const text = textOf(value, name);
  must(URL.canParse(text), `${name} is an absolute address`);
  const { protocol, hostname, hash, username } = new URL(text);
  must(protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname)), `${name} is an https address`);
  must(hash === '' && !text.endsWith('#') && username === '', `${name} has no fragment and no user`);
  return text;
}

/** Inserts a well-known name between host and path (RFC 8414, section 3.1). */
export function wellKnown(identifier: string, name: string): string {
  const { origin, pathname } = new URL(identifier);
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname.replace(/\/$/, '')}`;
}

export async function send(url: string, { method = 'GET', headers = {}, form, json }: Call = {}): Promise<Answer> {
  const body = form === undefined ? json && JSON.stringify(json) : new URLSearchParams(form).toString();
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await fetch(addressOf(url, 'an address'), {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    body,
  });
  const text = await response.text();
  must(response.status < 300 || response.status >= 400, `${url} does not redirect (OpenID4VP, 14.5)`);
  return { url, status: response.status, headers: response.headers, text };
}

export const mediaTypeOf = ({ headers }: Answer): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

export function mustBeOf(answer: Answer, type: string): void {
  must(mediaTypeOf(answer) === type, `${answer.url} has the media type ${type}, not ${mediaTypeOf(answer)}`);
}

/** No cache may keep the answer. */
export function mustNotBeStored({ url, headers }: Answer): void {
  const directives = (headers.get('cache-control') ?? '').toLowerCase().split(/\s*,\s*/);
  must(directives.includes('no-store'), `${url} is sent with cache-control: no-store`);
}

/** The JSON object in an answer. */
export function jsonOf(answer: Answer): Json {
  mustBeOf(answer, 'application/json');
  const parsed: unknown = JSON.parse(answer.text);
  must(isObject(parsed), `${answer.url} is a JSON object`);
  return parsed;
}

/** An answer that is not as hoped for: an error of OAuth's or OpenID4VCI's form. */
export class RefusedByServer extends Error {
  constructor(
    readonly status: number,
    readonly error: string,
    description: string,
    readonly headers: Headers,
  ) {
    super(`${status} ${error}: ${description}`);
    this.name = 'RefusedByServer';
  }
}

/** The error code's and its description's letters (RFC 6749, 5.2). */
const PRINTABLE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

/** @throws RefusedByServer for an error in the right form, SpecFault for one that is not. */
export function mustBe(answer: Answer, status: number): void {
  if (answer.status === status) return;
  const { status: got, headers } = answer;
  must(got >= 400 && got < 600, `${answer.url} has the status ${status}, or an error's`);
  const body = jsonOf(answer);
  const error = textOf(body.error, `the error of ${answer.url}`);
  const description = body.error_description ?? '';
  must(typeof description === 'string' && PRINTABLE.test(description), 'error_description is printable ASCII');
  must(PRINTABLE.test(error), 'error is printable ASCII');
  mustNotBeStored(answer);
  // RFC 6750, 3: who may not use a protected resource is told how to.
  if (got === 401) must(headers.has('www-authenticate'), `${answer.url} sends www-authenticate with 401`);
  throw new RefusedByServer(got, error, description, headers);
}
