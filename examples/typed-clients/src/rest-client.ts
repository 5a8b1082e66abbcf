// A REST client that knows every route of the OpenAPI document: paths, parameters, bodies and responses.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/rest.js';

type Refusal = components['schemas']['Error'] | components['schemas']['Problem'];

/** @param address of the gateway, such as http://127.0.0.1:4000. */
export const createRestClient = (address: string) => createClient<paths>({ baseUrl: address });

/** Why the gateway refuses a call. Only clients that ask for problem details (RFC 9457) get `detail`. */
export const reasonOf = (refusal: Refusal): string => ('message' in refusal ? refusal.message : refusal.detail);

/** The body of a successful response. @throws Error with the reason for another one. */
export function bodyOf<Body>({ data, error }: { data?: Body; error?: Refusal }): Body {
  if (error) throw new Error(reasonOf(error));
  if (data) return data;
  throw new Error('The gateway returned no body.');
}
