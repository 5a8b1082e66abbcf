// What a wallet's provider states about a wallet and its keys, for issuers with the profile haip. A real provider signs on a
// server of its own, after it has looked at the device.
import { createPrivateKey, randomUUID, sign } from 'node:crypto';

const DAY_SECONDS = 86_400;

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

function signed({ key, x5c }, typ, claims) {
  const iat = Math.floor(Date.now() / 1000);
  const text = `${encoded({ typ, alg: 'ES256', x5c })}.${encoded({ iat, exp: iat + DAY_SECONDS, ...claims })}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** OAuth 2.0 attestation-based client authentication: this client is a wallet of the provider's, with a key of its own. */
export async function attestWallet(agent, provider, clientId) {
  const { publicJwk } = await agent.kms.createKeyForSignatureAlgorithm({ algorithm: 'ES256' });
  return signed(provider, 'oauth-client-attestation+jwt', {
    iss: provider.issuer,
    sub: clientId,
    jti: randomUUID(),
    cnf: { jwk: publicJwk },
  });
}

/** OpenID4VCI, appendix D: these keys are in the wallet's secure element. */
export function attestKeys(provider, jwks, nonce) {
  const level = ['iso_18045_high'];
  return signed(provider, 'key-attestation+jwt', {
    iss: provider.issuer,
    attested_keys: jwks,
    key_storage: level,
    user_authentication: level,
    nonce,
  });
}
