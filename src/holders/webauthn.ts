// Passkeys by WebAuthn: what browsers are asked, and whether their responses are right. No attestation is wanted; a user must be verified.
// The library is loaded at its first use.
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { isIP } from 'node:net';
import { DomainError } from '../base/errors.js';
import type { PasskeyRow } from './key-models.js';
import type { AssertionResponse, CreationResponse } from './passkey-types.js';

/** How long a challenge can be answered, milliseconds. */
export const CHALLENGE_MS = 5 * 60_000;
/** COSE algorithms: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const NAME = 'Core';

/** For whom passkeys are. */
export interface RelyingParty {
  rpId: string;
  /** Of PUBLIC_URL. */
  origin: string;
}

/** The host that passkeys are for; undefined: PUBLIC_URL has an IP address. @param passkeyRpId PASSKEY_RP_ID */
export function relyingPartyOf(publicUrl: string, passkeyRpId: string | undefined): RelyingParty | undefined {
  const { hostname, origin } = new URL(publicUrl);
  const rpId = passkeyRpId ?? hostname;
  return isIP(rpId.replace(/^\[|\]$/g, '')) === 0 ? { rpId, origin } : undefined;
}

/** What a response must be for. */
export interface Expected extends RelyingParty {
  challenge: string;
  /** Origins of the pages that may have the wallet in a frame. */
  topOrigins: readonly string[];
}

const library = () => import('@simplewebauthn/server');

interface ForCreation {
  rpId: string;
  holder: { id: string; email: string };
  challenge: string;
  present: readonly PasskeyRow[];
}

/** The options of `navigator.credentials.create`. */
export async function creationOptions({
  rpId,
  holder: { id, email },
  challenge,
  present,
}: ForCreation): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: NAME,
    rpID: rpId,
    userName: email,
    userDisplayName: email,
    userID: Uint8Array.from(Buffer.from(id)),
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: present.map(descriptorOf),
  });
}

/** The options of `navigator.credentials.get`, for these passkeys. */
export async function assertionOptions(
  rpId: string,
  challenge: string,
  passkeys: readonly PasskeyRow[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: rpId,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: passkeys.map(descriptorOf),
  });
}

const bytesOf = (base64url: string) => Uint8Array.from(Buffer.from(base64url, 'base64url'));

const descriptorOf = ({ _id, transports }: PasskeyRow) => ({ id: _id, transports: transports as Transports });
type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>;

/** The client data of a response, as far as it has a challenge; undefined: it is not JSON. */
function clientDataOf({ response }: AssertionResponse | CreationResponse): {
  challenge?: unknown;
  topOrigin?: unknown;
} {
  try {
    return Object(JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()));
  } catch {
    return {};
  }
}

/** The challenge that a response says it is to. */
export const challengeOf = (response: AssertionResponse | CreationResponse): string =>
  String(clientDataOf(response).challenge);

/** A passkey that was made. */
export type NewPasskey = Pick<PasskeyRow, '_id' | 'publicKey' | 'counter'>;

/** Checks a response of `navigator.credentials.create`. @throws DomainError BAD_USER_INPUT (`response`). */
export function checkCreation(response: CreationResponse, expected: Expected): Promise<NewPasskey> {
  return checked(async () => {
    const { verifyRegistrationResponse } = await library();
    requireTopOrigin(response, expected);
    await requireNoAttestation(response);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expectationsOf(expected),
      response: { ...response, clientExtensionResults: {} } as RegistrationResponseJSON,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    const { credential } = registrationInfo ?? {};
    // The id that is signed, which the response only repeats.
    if (!verified || credential === undefined || credential.id !== response.id) throw new Error('not verified');
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    return { _id: credential.id, publicKey, counter: credential.counter };
  });
}

/** Checks a response of `navigator.credentials.get`. @returns the passkey's new counter. @throws DomainError BAD_USER_INPUT (`response`). */
export function checkAssertion(
  response: AssertionResponse,
  expected: Expected,
  { _id, holderId, publicKey, counter }: PasskeyRow,
): Promise<number> {
  return checked(async () => {
    const { verifyAuthenticationResponse } = await library();
    requireTopOrigin(response, expected);
    const { userHandle } = response.response;
    if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== holderId) throw new Error('another user');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expectationsOf(expected),
      expectedTopOrigin: [...expected.topOrigins],
      response: { ...response, clientExtensionResults: {} } as AuthenticationResponseJSON,
      credential: { id: _id, publicKey: bytesOf(publicKey), counter },
    });
    if (!verified) throw new Error('the signature is wrong');
    return authenticationInfo.newCounter;
  });
}

const expectationsOf = ({ challenge, origin, rpId }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
  requireUserVerification: true,
});

/** The library compares it for assertions alone, and only where they say that their frame is of another origin. */
function requireTopOrigin(response: AssertionResponse | CreationResponse, { origin, topOrigins }: Expected): void {
  const { topOrigin } = clientDataOf(response);
  if (topOrigin === undefined || topOrigin === origin) return;
  if (!topOrigins.some((allowed) => allowed === topOrigin)) throw new Error('another top origin');
}

/**
 * No attestation was asked for. Certificates of one would be followed to the addresses that they name, which whoever sends them chooses.
 */
async function requireNoAttestation({ response }: CreationResponse): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(bytesOf(response.attestationObject));
  const format = attestation.get('fmt');
  if (format !== 'none' && (format !== 'packed' || attestation.get('attStmt').get('x5c') !== undefined))
    throw new Error('an attestation with certificates');
}

/** All refusals have one sentence. */
async function checked<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (cause) {
    throw refused(cause);
  }
}

/** The error for a response that is not right, or whose challenge or passkey is not the caller's. */
export const refused = (cause: unknown): DomainError =>
  new DomainError(
    'BAD_USER_INPUT',
    '"response" is refused: the passkey must be yours, verify you, and answer new options of this gateway on an allowed page.',
    { field: 'response' },
    { cause },
  );
