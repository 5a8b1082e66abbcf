// The description of a failure, as one sentence for people.
import type { CombinedError } from '@urql/core';

export interface Fault {
  /** The code of the error, as `docs/errors.md` lists them; absent when there was no response. */
  code?: string;
  /** One sentence. */
  sentence: string;
  /** The invalid input, such as `credentialSubject.birthDate`. */
  field?: string;
  /** The token of the partner was refused; another token is needed. */
  needsToken?: true;
  /** Another attempt may succeed although nothing is changed. */
  isPassing?: true;
  /** Where the stored events begin, if those that were asked for have expired. */
  oldest?: string;
}

/** An error of a GraphQL response. */
export interface GivenError {
  message: string;
  extensions?: Readonly<Record<string, unknown>>;
}

/** The description of a failed operation. */
export function faultOf({ networkError, graphQLErrors: [error], response }: CombinedError): Fault {
  if (error !== undefined) return givenFault(error, response as Response | undefined);
  return networkError || response
    ? faultOfResponse(response as Response | undefined)
    : { sentence: 'This did not work.' };
}

/** The fault of an error that the gateway describes. */
export function givenFault({ message, extensions = {} }: GivenError, response?: Response): Fault {
  const { code, field, oldest, httpStatus } = extensions;
  return {
    sentence: typeof field === 'string' ? inWords(message, field) : message,
    ...(typeof code === 'string' && { code }),
    ...(typeof field === 'string' && { field }),
    ...(typeof oldest === 'string' && { oldest }),
    ...(isRefusedToken(response) && { needsToken: true }),
    ...(isPassing(Number(httpStatus)) && { isPassing: true }),
  };
}

/** Names of the API that forms call otherwise. */
const LABELS: Readonly<Record<string, string>> = {
  credentialId: 'Id of the credential',
  issuerDid: 'DID of the issuer',
  userId: 'userId of the holder',
  batchId: 'Id of the batch',
  email: 'E-mail address',
  url: 'Address',
};

/** The gateway's sentence, with the name of the form's field: `"variables.input.issuedFrom" must …` is `“Issued from” must …`. */
export function inWords(message: string, field: string): string {
  if (!message.startsWith(`"${field}"`)) return message;
  return `“${labelOf(field)}”${message.slice(field.length + 2)}`;
}

/** What people call a member: its words, without what leads to it. */
export function labelOf(field: string): string {
  const name =
    field
      .replace(/\[\d+\]$/, '')
      .split('.')
      .at(-1) ?? '';
  const words = name.replace(/([a-z\d])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`);
  return LABELS[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** The fault of a response whose status alone says what is wrong; undefined for other statuses. */
export function faultOfStatus({ status, headers }: Response): Fault | undefined {
  if (status === 429)
    return { code: 'RATE_LIMITED', sentence: `Too many requests; ${againIn(headers)}.`, isPassing: true };
  if (status >= 500) return { sentence: `The gateway is not ready; ${againIn(headers)}.`, isPassing: true };
  return undefined;
}

/** `try again in 7 seconds`, as the response asks. */
function againIn(headers: Headers | undefined): string {
  const seconds = Number(headers?.get('retry-after') ?? 0);
  return seconds > 0 ? `try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}` : 'try again in a moment';
}

/** The fault of a response without a description; undefined if there was no response. */
export const faultOfResponse = (response: Response | undefined): Fault =>
  response === undefined
    ? { sentence: 'The gateway cannot be reached; check the connection.', isPassing: true }
    : (faultOfStatus(response) ?? { sentence: `The gateway refused with ${response.status}.` });

const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** Whether the response says that the token is no longer valid (RFC 6750 §3.1). */
export const isRefusedToken = (response: Response | undefined): boolean =>
  response?.headers.get('www-authenticate')?.includes('invalid_token') ?? false;
