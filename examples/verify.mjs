// A holder proves a program's conditions to a partner without showing the values: node examples/verify.mjs [address] [data folder].
// The holder's device runs the proof suite, src/zk; the partner checks the receipt with jose alone.
import { randomUUID } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { answerOf, explanationOf } from './device.mjs';
import { address, call, closedRecord, logIn, readStored, registerPartner, show } from './sandbox.mjs';

const partner = await registerPartner('lumen-university', { scopes: ['issue', 'verify'] });
const asPartner = async (scope) => ({ 'x-partner-auth': await partner.token(scope) });

// The partner issues a degree with a grade, and the holder takes it to its device.
const email = `ada.${partner.partnerId.slice(0, 8)}@example.org`;
const credentialSubject = { degree: 'MSc', field: 'Astronomy', conferredOn: '2026-06-30', gradeAverage: 1.7 };
await call('POST', '/v1/credentials/issue-on-behalf', {
  headers: { ...(await asPartner('issue')), 'idempotency-key': randomUUID() },
  body: { issuerDid: partner.issuerDid, credentialId: 'degree-lumen', credentialSubject, email },
});
const holder = await logIn(partner, email);
const { items } = await call('GET', '/v1/holders/me/credentials', { headers: holder.headers });
const credential = await readStored(holder, items[0].id);

// The partner starts a verification, and the holder fetches what it is asked.
const { verificationId } = await call('POST', '/v1/verifications', {
  headers: await asPartner('verify'),
  body: { programId: 'graduate-hiring' },
});
const request = await call('GET', `/v1/verifications/${verificationId}/request`, { headers: holder.headers });
show('asked by', request.program);
show('explained on the device', explanationOf(request, credential));

// The device proves it. Neither the grade nor the day leaves it.
const body = await answerOf(request, credential);
show('answered', await call('POST', `/v1/verifications/${verificationId}/answer`, { headers: holder.headers, body }));

// Without a chain the result stays Pending.
const record = await closedRecord(partner, verificationId);
if (record === undefined) {
  show('not on a chain yet', { verificationId, status: 'Pending' });
} else {
  const { status, transactionHash, zkProofs } = record.result;
  show('recorded', { status, transactionHash, nullifier: record.nullifier });

  // Anyone can check the receipt by the gateway's published keys; a partner checks the proof.
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', address));
  const { payload } = await jwtVerify(record.receipt, keys, { typ: 'verification+jwt' });
  show('receipt', { verificationId: payload.verificationId, result: payload.result });
  const zkProof = zkProofs['degree-lumen'];
  const checked = { headers: await asPartner('verify'), body: { zkProof } };
  show('proof checked', await call('POST', '/v1/verifications/check', checked));
}
