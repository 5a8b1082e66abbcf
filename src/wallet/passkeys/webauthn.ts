// What a touch of a passkey gives. The PRF output becomes the key of a wrap here, and nothing else of it goes on.
import type { PasskeyResponse, PasskeysPort } from '../../sdk/mobile/types.js';
import { fromBase64, randomBytes, toBase64, utf8 } from '../keys/bytes.js';
import { derived, FOR_WRAP } from '../keys/hkdf.js';

/** A response as JSON, without outputs of extensions, and the key that the PRF output gives, in base64. */
export interface Touch {
  response: { id: string };
  wrapKey?: string;
}

const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** Some authenticators refuse the extension without an input. */
async function prfInput(): Promise<{ prf: { eval: { first: string } } }> {
  const digest = await crypto.subtle.digest('SHA-256', utf8('core/prf/v1'));
  return { prf: { eval: { first: toBase64url(new Uint8Array(digest)) } } };
}

const withoutOutputs = (response: PasskeyResponse): PasskeyResponse => ({ ...response, clientExtensionResults: {} });

/** Errors of the user's or the platform's choice, after which the same may be tried again. */
const AGAIN: ReadonlySet<string> = new Set(['NotAllowedError', 'AbortError', 'InvalidStateError']);

/** Whether an error is one after which the user may try again. */
export const isAgain = (error: unknown): boolean => error instanceof Error && AGAIN.has(error.name);

/** Touches a passkey. */
export async function usePasskey(port: PasskeysPort, options: Record<string, unknown>): Promise<Touch> {
  const used = await port.get({ ...options, extensions: await prfInput() });
  const output = used.clientExtensionResults.prf?.results?.first;
  const answer = { response: withoutOutputs(used) };
  if (output === undefined) return answer;
  return { ...answer, wrapKey: toBase64(await derived(fromBase64(output), FOR_WRAP)) };
}

/** A new passkey, and whether it has PRF. */
export interface Created {
  response: { id: string };
  hasPrf: boolean;
}

/** Makes a passkey: without PRF if the authenticator refuses one with it. */
export async function createPasskey(port: PasskeysPort, options: Record<string, unknown>): Promise<Created> {
  const own = options.extensions as object | undefined;
  const create = (extensions: object) => port.create({ ...options, extensions: { ...own, ...extensions } });
  const created = await create(await prfInput()).catch((error: unknown) => {
    if (isAgain(error)) throw error;
    return create({});
  });
  const { enabled, results } = created.clientExtensionResults.prf ?? {};
  return { response: withoutOutputs(created), hasPrf: enabled ?? results !== undefined };
}

/** The key that the PRF output of a new passkey gives, which counts from its use alone. The gateway does not hear of this use. */
export async function keyOf(
  port: PasskeysPort,
  { response: { id } }: Created,
  options: Record<string, unknown>,
): Promise<string | undefined> {
  const { id: rpId } = options.rp as { id?: string };
  const challenge = toBase64url(randomBytes(32));
  const allowCredentials = [{ id, type: 'public-key' }];
  const { wrapKey } = await usePasskey(port, { challenge, rpId, allowCredentials, userVerification: 'required' });
  return wrapKey;
}
