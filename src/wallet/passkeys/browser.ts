// WebAuthn of this browser, with the PRF extension's values as text.
import {
  base64URLStringToBuffer,
  bufferToBase64URLString,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import type { PasskeyResponse, PasskeysPort } from '../../sdk/mobile/types.js';

interface PrfInput {
  prf?: { eval: { first: string } };
}

interface PrfOutputs {
  prf?: { enabled?: boolean; results?: { first?: ArrayBuffer } };
}

/** Browsers take and give the values of the extension as bytes. */
function withBytes<T>(options: Record<string, unknown>): T {
  const { prf, ...extensions } = options.extensions as PrfInput;
  const input = prf && { prf: { eval: { first: base64URLStringToBuffer(prf.eval.first) } } };
  return { ...options, extensions: { ...extensions, ...input } } as T;
}

function withText(response: { id: string; clientExtensionResults: object }): PasskeyResponse {
  const { prf } = response.clientExtensionResults as PrfOutputs;
  const { enabled, results } = prf ?? {};
  const first = results?.first && bufferToBase64URLString(results.first);
  const told = { ...(enabled === undefined ? {} : { enabled }), ...(results && { results: first ? { first } : {} }) };
  return { ...response, clientExtensionResults: prf ? { prf: told } : {} };
}

export const BROWSER: PasskeysPort = {
  create: async (options) =>
    withText(await startRegistration({ optionsJSON: withBytes<PublicKeyCredentialCreationOptionsJSON>(options) })),
  get: async (options) =>
    withText(await startAuthentication({ optionsJSON: withBytes<PublicKeyCredentialRequestOptionsJSON>(options) })),
};
