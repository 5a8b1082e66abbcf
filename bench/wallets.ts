// What wallets of others cost: the check of a presentation against the bare verification of the same one by @sd-jwt/sd-jwt-vc, both in turns; and
// what they ask of the gateway.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import type * as SdJwtVc from '@sd-jwt/sd-jwt-vc';
import { moduleOf } from './modules.js';
import { ownCpu } from './processor-time.js';
import { type Bar, median } from './report.js';
import { walletRequestBars } from './wallet-requests.js';

const ROUNDS = 15;
const EACH = 200;
const CLAIMS = 16;
const DISCLOSED = ['claim0', 'claim1'];
const PUBLIC_URL = 'https://gateway.example';
const ISSUER = `${PUBLIC_URL}/oid4vci/club`;
const VCT = 'urn:example:pass';
const REQUEST = { nonce: 'a-nonce-of-the-verifier', audience: 'x509_hash:verifier' };

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signerOf = (privateKey: KeyObject) => (data: string) =>
  sign('sha256', Buffer.from(data), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
const verifierOf = (publicKey: KeyObject) => (data: string, signature: string) =>
  verify(
    'sha256',
    Buffer.from(data),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );

interface Presented {
  /** As wallets present it here. */
  text: string;
  /** Without a status, which the library would fetch. */
  bareText: string;
  issuerKey: KeyObject;
  library: SdJwtVc.SDJwtVcInstance;
}

/** Presentations, and the library that made them, which can verify them. */
async function presented(): Promise<Presented> {
  const { SDJwtVcInstance } = await import('@sd-jwt/sd-jwt-vc');
  const [issuer, holder] = [pair(), pair()];
  const jwk = holder.publicKey.export({ format: 'jwk' });
  const library = new SDJwtVcInstance({
    ...{ signAlg: 'ES256', kbSignAlg: 'ES256', hashAlg: 'sha-256' },
    signer: signerOf(issuer.privateKey),
    verifier: verifierOf(issuer.publicKey),
    kbSigner: signerOf(holder.privateKey),
    kbVerifier: (data, signature, { cnf }) =>
      verifierOf(createPublicKey({ key: (cnf as { jwk: object }).jwk as never, format: 'jwk' }))(data, signature),
    hasher: (data) =>
      createHash('sha256')
        .update(data as string)
        .digest(),
    saltGenerator: () => randomBytes(16).toString('base64url'),
  });
  const names = Array.from({ length: CLAIMS }, (_, at) => `claim${at}`);
  const iat = Math.floor(Date.now() / 1_000);
  const claims = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
  const textWith = async (more: object): Promise<string> => {
    const payload = { iss: ISSUER, vct: VCT, iat, cnf: { jwk }, ...claims, ...more };
    const credential = await library.issue(payload as never, { _sd: names } as never, { header: { kid: 'k' } });
    const frame = Object.fromEntries(DISCLOSED.map((name) => [name, true]));
    const kb = { payload: { iat, aud: REQUEST.audience, nonce: REQUEST.nonce } };
    return library.present(credential, frame as never, { kb });
  };
  const status = { status_list: { uri: `${PUBLIC_URL}/v1/credentials/token-status-lists/club.w1`, idx: 7 } };
  return { text: await textWith({ status }), bareText: await textWith({}), issuerKey: issuer.publicKey, library };
}

async function* presentationBars(): AsyncIterable<Bar> {
  const { text, bareText, issuerKey, library } = await presented();
  const { Presentations } = await moduleOf('openid4vp/presentations.service');
  const signingKeys = { publicKey: async () => issuerKey };
  const presentations = new Presentations({ signingKeys, publicUrl: PUBLIC_URL, clock: Date.now });
  const issuer = { _id: 'club', managed: true };
  const ours = async (): Promise<void> => {
    for (let at = 0; at < EACH; at += 1) {
      const checked = await presentations.check(text, { issuer, vct: VCT }, { ...REQUEST, now: Date.now() });
      if (checked === undefined) throw new Error('the presentation was refused');
    }
  };
  const bare = async (): Promise<void> => {
    for (let at = 0; at < EACH; at += 1) await library.verify(bareText, { keyBindingNonce: REQUEST.nonce });
  };
  const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.ours.push(await ownCpu(ours));
    times.bare.push(await ownCpu(bare));
  }
  const [checked, verified] = [times.ours, times.bare].map((each) => (median(each) / EACH) * 1_000) as [number, number];
  yield {
    name: "a presentation's check ÷ the library's bare verification",
    measured: checked / verified,
    limit: 1.5,
    holds: 'at most',
    unit: '',
    detail: `${checked.toFixed(2)} ms and ${verified.toFixed(2)} ms of processor time, ${CLAIMS} claims of which ${DISCLOSED.length} are disclosed`,
  };
}

/** Bars of presentations, offers, and requests for credentials. */
export async function* walletBars(): AsyncIterable<Bar> {
  yield* walletRequestBars();
  yield* presentationBars();
}
