// WebAuthn in this browser. A passkey's PRF output becomes the key of a wrap here, and nothing else of it goes on.
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { derived, FOR_WRAP } from '../keys/hkdf.js';

/** A response as JSON, without outputs of extensions, and the key that the PRF output gives, in base64. */
export interface Touch {
  response: { id: string };
  wrapKey?: string;
}

interface PrfOutputs {
  prf?: { enabled?: boolean; results?: { first?: BufferSource } };
}

/** Some authenticators refuse the extension without an input. */
async function prfInput(): Promise<{ prf: { eval: { first: Uint8Array<ArrayBuffer> } } }> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('core/prf/v1'));
  return { prf: { eval: { first: new Uint8Array(digest) } } };
}

const WITHOUT_OUTPUTS = { clientExtensionResults: {} };

/** Errors of the user's or the platform's choice, after which the same may be tried again. */
const AGAIN: ReadonlySet<string> = new Set(['NotAllowedError', 'AbortError', 'InvalidStateError']);

/** Whether an error is one after which the user may try again. */
export const isAgain = (error: unknown): boolean => error instanceof Error && AGAIN.has(error.name);

/** Touches a passkey. */
export async function usePasskey(options: Record<string, unknown>): Promise<Touch> {
  const optionsJSON = {
    ...(options as unknown as PublicKeyCredentialRequestOptionsJSON),
    extensions: (await prfInput()) as object,
  };
  const { clientExtensionResults, ...response } = await startAuthentication({ optionsJSON });
  const output = (clientExtensionResults as PrfOutputs).prf?.results?.first;
  const answer = { response: { ...response, ...WITHOUT_OUTPUTS } };
  if (output === undefined) return answer;
  const key = await derived(output, FOR_WRAP);
  return { ...answer, wrapKey: btoa(String.fromCharCode(...key)) };
}

/** A new passkey, and whether it has PRF. */
export interface Created {
  response: { id: string };
  hasPrf: boolean;
}

/** Makes a passkey: without PRF if the authenticator refuses one with it. */
export async function createPasskey(options: Record<string, unknown>): Promise<Created> {
  const own = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const create = (extensions: object) => startRegistration({ optionsJSON: { ...own, extensions } });
  const created = await create({ ...own.extensions, ...(await prfInput()) }).catch((error: unknown) => {
    if (isAgain(error)) throw error;
    return create({ ...own.extensions });
  });
  const { clientExtensionResults, ...response } = created;
  const { enabled, results } = (clientExtensionResults as PrfOutputs).prf ?? {};
  const hasPrf = enabled ?? results !== undefined;
  return { response: { ...response, ...WITHOUT_OUTPUTS }, hasPrf };
}

/** The key that the PRF output of a new passkey gives, which counts from its use alone. The gateway does not hear of this use. */
export async function keyOf(
  { response: { id } }: Created,
  options: Record<string, unknown>,
): Promise<string | undefined> {
  const { rp } = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const challenge = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const allowCredentials = [{ id, type: 'public-key' }];
  const { wrapKey } = await usePasskey({ challenge, rpId: rp.id, allowCredentials, userVerification: 'required' });
  return wrapKey;
}
