// A holder's device in a verification: it explains what is asked, and proves it, with the suite of src/zk. It needs nothing but the request
// and the decrypted credential.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { explain, fromBase64url, loadSuite } from '../dist/zk/holder.js';
import { call } from './sandbox.mjs';

/** Which conditions of the request the claim meets, and what the others need. */
export function explanationOf({ challenge, ...request }, { coreClaim }) {
  const { credentialId, credentialSubject } = coreClaim;
  return explain(request, { credentialId, credentialSubject }, Date.parse(challenge.now));
}

/** The body of an answer. Values of the claim do not leave the device. */
export async function answerOf({ challenge, accepted }, { coreClaim, zk }) {
  const { credentialId, conditions, accumulators } = accepted.find(
    (each) => each.credentialId === coreClaim.credentialId,
  );
  const { schemaId, schemaVersion, kid } = zk;
  const { points } = await call(
    'GET',
    `/v1/schemas/${encodeURIComponent(schemaId)}/versions/${schemaVersion}/encoding`,
  );
  const coreClaimHash = createHash('sha256').update(canonicalize(coreClaim)).digest('hex');
  const suite = await loadSuite();
  const proof = suite.prove(
    { challenge, credentialId, schemaId, schemaVersion, kid, points, conditions, accumulators },
    {
      claim: { coreClaimHash, schemaId, schemaVersion, credentialSubject: coreClaim.credentialSubject },
      signature: fromBase64url(zk.signature),
    },
  );
  return { coreClaimHash, ...proof };
}
