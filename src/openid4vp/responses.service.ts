// What wallets send back (OpenID4VP 1.0 §8): the response, encrypted to the key of the request, or an error.
import { compactDecrypt, importJWK } from 'jose';
import { badInput } from '../base/errors.js';
import { isJsonObject } from '../base/json/json-object.js';
import { ENCRYPTIONS, type EncryptionKey, KEY_AGREEMENT } from './requests.service.js';

/** A presentation with the id of the query that it is for; or the wallet's error. */
export type WalletResponse = { queryId: string; presentation: string } | { error: string };

/** The most characters of an encrypted response. */
export const MAX_RESPONSE = 65_536;

const unreadable = (why: string): Error => badInput(`The response of the wallet ${why}.`, 'response');

/**
 * Decrypts and reads a response.
 * @param state of the request, which the response must repeat; undefined: it has none
 * @throws DomainError BAD_USER_INPUT
 */
export async function readResponse(
  jwe: string,
  key: EncryptionKey,
  state: string | undefined,
): Promise<WalletResponse> {
  const content = await decrypted(jwe, key);
  if (content.state !== state) throw unreadable('is not for this request: "state" differs');
  if (content.error !== undefined) return readError(content);
  const { vp_token: token } = content;
  const presented = isJsonObject(token) ? Object.entries(token) : [];
  const [queryId, presentations] = presented[0] ?? [];
  const [presentation] = Array.isArray(presentations) ? presentations : [];
  const isOne = presented.length === 1 && (presentations as unknown[]).length === 1;
  if (queryId === undefined || typeof presentation !== 'string' || !isOne)
    throw unreadable('must have "vp_token": an object with one member, a list with one presentation');
  return { queryId, presentation };
}

/** Reads an error. @throws DomainError BAD_USER_INPUT. */
export function readError({ error }: Readonly<Record<string, unknown>>): { error: string } {
  if (typeof error !== 'string' || error === '') throw unreadable('must have "response", or "error"');
  return { error };
}

async function decrypted(jwe: string, { publicJwk, d }: EncryptionKey): Promise<Record<string, unknown>> {
  if (jwe.length > MAX_RESPONSE) throw unreadable('is too long');
  let text: string;
  try {
    const key = await importJWK({ ...publicJwk, d }, KEY_AGREEMENT);
    const algorithms = { keyManagementAlgorithms: [KEY_AGREEMENT], contentEncryptionAlgorithms: ENCRYPTIONS };
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, algorithms);
    if (protectedHeader.zip !== undefined) throw new Error('compressed');
    text = Buffer.from(plaintext).toString();
  } catch {
    throw unreadable(
      `cannot be decrypted: it must be a JWE (${KEY_AGREEMENT}, ${ENCRYPTIONS.join(' or ')}) to the key of the request`,
    );
  }
  try {
    const content: unknown = JSON.parse(text);
    if (isJsonObject(content)) return content;
  } catch {
    // Said below.
  }
  throw unreadable('must be an object in JSON, once it is decrypted');
}
