// A partner issues a credential, its holder reads it, and the partner revokes it: node examples/issue-and-read.mjs [address] [data folder].
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { call, logIn, readStored, registerPartner, show } from './sandbox.mjs';

const partner = await registerPartner('lumen-university', { scopes: ['issue'] });
const { issuerDid } = partner;

// The partner's back end issues, with nobody present.
const email = `ada.${partner.partnerId.slice(0, 8)}@example.org`;
const credentialSubject = { degree: 'MSc', field: 'Astronomy', conferredOn: '2026-06-30', honours: true };
const issued = await call('POST', '/v1/credentials/issue-on-behalf', {
  headers: { 'x-partner-auth': await partner.token('issue'), 'idempotency-key': randomUUID() },
  body: { issuerDid, credentialId: 'degree-lumen', credentialSubject, email },
});
show('issued', issued);
show('status, for anyone', await call('GET', `/v1/credentials/status?coreClaimHash=${issued.coreClaimHash}`));

// Only the holder can read what was issued.
const holder = await logIn(partner, email);
const { items } = await call('GET', '/v1/holders/me/credentials', { headers: holder.headers });
const { vc } = await readStored(holder, items[0].id);
show('read by the holder', decodeJwt(vc).credentialSubject);
show(
  'revoked',
  await call('POST', '/v1/credentials/revoke', {
    headers: { 'x-partner-auth': await partner.token('issue') },
    body: { coreClaimHash: issued.coreClaimHash },
  }),
);
