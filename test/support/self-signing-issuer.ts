// An issuer that signs for itself, written from the contract with jose, node:crypto and the WASM module alone (contract §12): none of its
// code is the gateway's.
import { createHash, randomBytes } from 'node:crypto';
import wasm from '@docknetwork/crypto-wasm';
import { CompactSign, type CryptoKey, generateKeyPair } from 'jose';
import { encrypt } from './holder-device.js';

/** One data point, as `GET /v1/schemas/{id}/versions/{n}/encoding` names it. */
interface Point {
  name: string;
  family: 'number' | 'date' | 'boolean' | 'text' | 'json';
}

/** What is signed, and for whom. */
export interface Signing {
  credentialId: string;
  schemaId: string;
  schemaVersion: number;
  points: readonly Point[];
  /** As initialize-user answers it. */
  holder: { did: string; publicKey: string };
  credentialSubject: Record<string, unknown>;
  expiresAt?: string | null;
}

export interface SelfSigningIssuer {
  did: string;
  /** As its record has it. */
  zkKey: { kid: string; publicKeyMultibase: string };
  /** A body of `POST /v1/dstorage/vcs`. */
  sign(signing: Signing): Promise<SignedBody>;
}

export type SignedBody = Awaited<ReturnType<typeof signedBody>>;

const LABEL = new TextEncoder().encode('core-bbs-1');
const parametersOf = (messages: number) => wasm.bbsGenerateSignatureParams(messages, LABEL);

/** RFC 8785 of what tests sign: members by their UTF-16 code units. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

function base58(bytes: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = alphabet[Number(number % 58n)] + text;
  return text;
}

function integer(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.writeBigUInt64LE(value);
  return new Uint8Array(bytes);
}

const tagged = (tag: string, text: string): Uint8Array =>
  wasm.encodeMessageForSigningInConstantTime(new TextEncoder().encode(`${tag}\0${text}`));

/** The 64 bits of a double, in numeric order. */
function ordered(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const bits = bytes.readBigUInt64BE();
  return integer(bits >> 63n ? ~bits & 0xffffffffffffffffn : bits | (1n << 63n));
}

const MESSAGES: Readonly<Record<Point['family'], (value: never) => Uint8Array>> = {
  number: (value: number) => ordered(value),
  date: (value: string) => ordered(Date.parse(value)),
  boolean: (value: boolean) => integer(value ? 1n : 0n),
  text: (value: string) => tagged('text', value.normalize('NFC')),
  json: (value: unknown) => tagged('json', canonical(value)),
};

function messageOf({ name, family }: Point, subject: Record<string, unknown>): Uint8Array {
  const value = subject[name];
  return value === undefined ? tagged('absent', '') : MESSAGES[family](value as never);
}

/** Makes an issuer with a DID key and a BBS key of its own. */
export async function selfSigningIssuer(did: string): Promise<SelfSigningIssuer> {
  await wasm.initializeWasm();
  const secretKey = wasm.bbsGenerateSigningKey();
  const publicKey = wasm.bbsGeneratePublicKey(secretKey, parametersOf(1));
  const publicKeyMultibase = `z${base58(Uint8Array.from([0xeb, 0x01, ...publicKey]))}`;
  const zkKey = { kid: 'key-1', publicKeyMultibase };
  const { privateKey } = await generateKeyPair('ES256');
  return { did, zkKey, sign: (signing) => signedBody({ did, kid: zkKey.kid, secretKey, privateKey }, signing) };
}

interface Keys {
  did: string;
  kid: string;
  secretKey: Uint8Array;
  privateKey: CryptoKey;
}

async function signedBody({ did, kid, secretKey, privateKey }: Keys, signing: Signing) {
  const { credentialId, schemaId, schemaVersion, points, holder, credentialSubject, expiresAt = null } = signing;
  const revocationNonce = randomBytes(8).readBigUInt64BE().toString();
  const coreClaim = {
    ...{ v: 1, issuerDid: did, holderDid: holder.did, credentialId, schemaId, credentialSubject, expiresAt },
    ...{ revocationNonce, salt: randomBytes(16).toString('hex') },
  };
  const coreClaimHash = createHash('sha256').update(canonical(coreClaim)).digest('hex');
  const header = canonical({ suite: 'core-bbs-1', coreClaimHash, schemaId, schemaVersion });
  const messages = [tagged('header', header), ...points.map((point) => messageOf(point, credentialSubject))];
  const signature = wasm.bbsSign(messages, secretKey, parametersOf(messages.length), false);
  const vc = await new CompactSign(new TextEncoder().encode(JSON.stringify(vcOf(coreClaim))))
    .setProtectedHeader({ alg: 'ES256', kid: `${did}#key-0`, typ: 'vc+jwt', cty: 'vc' })
    .sign(privateKey);
  const zk = {
    ...{ suite: 'core-bbs-1', schemaId, schemaVersion, kid },
    signature: Buffer.from(signature).toString('base64url'),
  };
  return {
    holderDid: holder.did,
    proofType: 'JWT_VC',
    schemaId,
    expiresAt,
    ...encrypt(JSON.stringify({ vc, coreClaim, zk }), holder.publicKey),
    externalId: randomBytes(8).toString('hex'),
    claim: { issuerDid: did, credentialId, schemaVersion, coreClaimHash, revocationNonce },
  };
}

function vcOf({ issuerDid, holderDid, credentialSubject, revocationNonce }: Record<string, unknown>): object {
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    type: ['VerifiableCredential'],
    issuer: issuerDid,
    credentialSubject: { id: holderDid, ...(credentialSubject as object) },
    credentialStatus: { type: 'CoreRevocation', revocationNonce },
  };
}
