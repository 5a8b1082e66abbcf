// A gateway that issues, and a holder that reads what it got.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { AppOverrides } from '../../src/compose/app.js';
import { decrypt } from '../support/holder-device.js';
import { EMAIL, type Membership, SCHEMA, startMembership } from '../support/membership.js';
import { logIn } from '../support/partner.js';

export interface Issuing extends Membership {
  putCredential(changes: object): Promise<void>;
  holder?: { key: KeyObject; headers: Record<string, string> };
}

/** Starts a gateway with a partner, a managed issuer `club` and its credential `member`. */
export async function startIssuing(env: Record<string, string> = {}, overrides: AppOverrides = {}): Promise<Issuing> {
  const membership = await startMembership({ env, ...overrides });
  const credential = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
  return {
    ...membership,
    async putCredential(changes) {
      const body = { ...credential, ...changes };
      const answer = await membership.gateway.admin('PUT', '/v1/admin/credentials/member', { body });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read packages of every shape.
type Package = any;

/** Issues a credential to the holder, and answers the package as the holder decrypts it. */
export async function openPackage(
  issuing: Issuing,
  credentialSubject: object,
  credentialId = 'member',
): Promise<Package> {
  const { gateway, partner, issuerDid } = issuing;
  const body = { issuerDid, credentialId, credentialSubject, email: EMAIL };
  const issued = await partner('POST', '/v1/credentials/issue-on-behalf', body);
  if (issued.status !== 200) throw new Error(JSON.stringify(issued.body));
  issuing.holder ??= await logInHolder(issuing);
  const { key, headers } = issuing.holder;
  const status = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${issued.body.coreClaimHash}`);
  const stored = await gateway.rest('GET', `/v1/holders/me/credentials/${status.body.vcDstorageId}`, { headers });
  return JSON.parse(decrypt(key, { ...stored.body, key: stored.body.encryptedKey }).toString());
}

async function logInHolder({ gateway, partnerId, token, partner }: Issuing) {
  const session = await logIn(gateway, { partnerId, token, rest: partner }, EMAIL);
  const headers = { authorization: `Bearer ${session}` };
  const device = generateKeyPairSync('x25519');
  const devicePublicKey = `0x${device.publicKey.export({ format: 'der', type: 'spki' }).toString('hex')}`;
  const { body } = await gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey }, headers });
  const { encryptedData: data, iv, authTag, dataEncPublicKey } = body.wrappedKey;
  const pkcs8 = decrypt(device.privateKey, { data, iv, authTag, key: dataEncPublicKey });
  return { key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }), headers };
}
