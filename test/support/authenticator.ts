// A software authenticator: passkeys (ES256, WebAuthn Level 3) as a browser would return them as JSON, with PRF; every part can be made wrong.
import { createHash, createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** Where a response is made, and what of it is wrong. */
export interface Ceremony {
  origin: string;
  /** Of the page around the frame. */
  topOrigin?: string;
  crossOrigin?: boolean;
  rpId?: string;
  challenge?: string;
  isUserVerified?: boolean;
  type?: string;
  counter?: number;
  /** Bytes of the attestation statement in CBOR, with its format. */
  attestation?: { fmt: string; statement: Buffer };
}

interface Passkey {
  id: string;
  key: KeyObject;
  rpId: string;
  userHandle: string;
  secret: Buffer;
  counter: number;
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer): string => data.toString('base64url');

const PRESENT = 0x01;
const VERIFIED = 0x04;
const ATTESTED = 0x40;

// CBOR (RFC 8949), as far as it is needed.
function head(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length]);
  return length < 256
    ? Buffer.from([(type << 5) | 24, length])
    : Buffer.from([(type << 5) | 25, length >> 8, length & 255]);
}
const cborInt = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
export const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([head(2, bytes.length), bytes]);
export const cborText = (text: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(text)), Buffer.from(text)]);
export const cborList = (...items: Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items]);
export const cborMap = (...entries: [Buffer, Buffer][]): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);

function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cborMap(
    [cborInt(1), cborInt(2)],
    [cborInt(3), cborInt(-7)],
    [cborInt(-1), cborInt(1)],
    [cborInt(-2), cborBytes(Buffer.from(x, 'base64url'))],
    [cborInt(-3), cborBytes(Buffer.from(y, 'base64url'))],
  );
}

function authenticatorData(
  { rpId, counter }: Pick<Passkey, 'rpId' | 'counter'>,
  { isUserVerified = true, ...ceremony }: Ceremony,
  attested?: Buffer,
): Buffer {
  const flags = PRESENT | (isUserVerified ? VERIFIED : 0) | (attested ? ATTESTED : 0);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(ceremony.counter ?? counter);
  return Buffer.concat([sha256(ceremony.rpId ?? rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)]);
}

const clientData = (type: string, challenge: string, { topOrigin, crossOrigin, origin, ...wrong }: Ceremony): Buffer =>
  Buffer.from(
    JSON.stringify({
      type: wrong.type ?? type,
      challenge: wrong.challenge ?? challenge,
      origin,
      crossOrigin: crossOrigin ?? topOrigin !== undefined,
      ...(topOrigin === undefined ? {} : { topOrigin }),
    }),
  );

interface CreationOptions {
  challenge: string;
  rp: { id?: string };
  user: { id: string };
}
interface RequestOptions {
  challenge: string;
  allowCredentials?: readonly { id: string }[];
}

/** Passkeys of one person. */
export class Authenticator {
  readonly #passkeys = new Map<string, Passkey>();

  /** @param hasCounter whether its signatures count */
  constructor(private readonly hasCounter = true) {}

  get ids(): string[] {
    return [...this.#passkeys.keys()];
  }

  /** `navigator.credentials.create`. */
  create({ challenge, rp, user }: CreationOptions, ceremony: Ceremony) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const rawId = randomBytes(32);
    const id = base64url(rawId);
    const passkey = {
      id,
      key: privateKey,
      rpId: rp.id ?? '',
      userHandle: user.id,
      secret: randomBytes(32),
      counter: 0,
    };
    this.#passkeys.set(id, passkey);
    const length = Buffer.from([0, rawId.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, rawId, coseKey(publicKey)]);
    const { fmt, statement } = ceremony.attestation ?? { fmt: 'none', statement: cborMap() };
    const attestationObject = cborMap(
      [cborText('fmt'), cborText(fmt)],
      [cborText('attStmt'), statement],
      [cborText('authData'), cborBytes(authenticatorData(passkey, ceremony, attested))],
    );
    const clientDataJSON = base64url(clientData('webauthn.create', challenge, ceremony));
    const response = { clientDataJSON, attestationObject: base64url(attestationObject), transports: ['internal'] };
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** `navigator.credentials.get`, by the first passkey that is allowed and here, or by the one named. */
  get({ challenge, allowCredentials = [] }: RequestOptions, ceremony: Ceremony, id?: string) {
    const allowed = id ?? allowCredentials.map((one) => one.id).find((one) => this.#passkeys.has(one));
    const passkey = this.#passkeys.get(allowed ?? '');
    if (passkey === undefined) throw new Error('no passkey of this authenticator is allowed');
    if (this.hasCounter) passkey.counter += 1;
    const data = authenticatorData(passkey, ceremony);
    const client = clientData('webauthn.get', challenge, ceremony);
    const signature = createSign('sha256')
      .update(Buffer.concat([data, sha256(client)]))
      .sign(passkey.key);
    const response = {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
      userHandle: passkey.userHandle,
    };
    return { id: passkey.id, rawId: passkey.id, type: 'public-key', response, clientExtensionResults: {} };
  }

  /** The PRF output of a passkey, 32 bytes. */
  prf(id: string, first: Buffer): Buffer {
    const { secret } = this.#passkeys.get(id) ?? { secret: Buffer.alloc(32) };
    return createHmac('sha256', secret)
      .update(sha256(Buffer.concat([Buffer.from('WebAuthn PRF\0'), first])))
      .digest();
  }
}
