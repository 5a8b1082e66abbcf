// A touch of a passkey in an app: the device's own dialog, in place of a screen.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Answers, PasskeyScreen } from '../../sdk/core/screens.js';
import type { PasskeysPort } from '../../sdk/mobile/types.js';
import { createPasskey, isAgain, keyOf, type Touch, usePasskey } from '../passkeys/webauthn.js';
import type { Texts } from '../texts.js';

/** Whatever keeps it from being touched, the user goes on with the recovery code where that may be. @throws CoreServiceError USER_CANCELLED. */
export async function touchOf(
  port: PasskeysPort,
  { purpose, options, orCode, fault }: PasskeyScreen,
  { passkey: texts }: Texts,
): Promise<Answers['passkey']> {
  try {
    // The device would be asked again without an end.
    if (fault !== undefined) return orCode ? { code: true } : { failed: fault };
    return purpose === 'get' ? await usePasskey(port, options) : await make(port, options);
  } catch (error) {
    if (orCode) return { code: true };
    if (isAgain(error)) throw new CoreServiceError('USER_CANCELLED', 'The user did not touch a passkey.');
    return { failed: texts.none };
  }
}

/** Makes one, and touches it for its key; one that is not touched proves but opens nothing. */
async function make(port: PasskeysPort, options: Record<string, unknown>): Promise<Touch> {
  const made = await createPasskey(port, options);
  const wrapKey = made.hasPrf ? await keyOf(port, made, options).catch(() => undefined) : undefined;
  return { response: made.response, ...(wrapKey === undefined ? {} : { wrapKey }) };
}
