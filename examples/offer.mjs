// A partner offers a credential to any wallet with OpenID4VCI, and sees what becomes of it: node examples/offer.mjs [address] [data folder].
// Without a phone: examples/credo-wallet.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import encodeQR from 'qr';
import { call, mailedCode, registerPartner, show } from './sandbox.mjs';

const POLL_MS = 1_000;

const partner = await registerPartner('lumen-university', { scopes: ['issue'] });
const asPartner = async (more) => ({ 'x-partner-auth': await partner.token('issue'), ...more });

const email = `ada.${partner.partnerId.slice(0, 8)}@example.org`;
const credentialSubject = { degree: 'MSc', field: 'Astronomy', conferredOn: '2026-06-30', gradeAverage: 1.7 };
const { offerId, offerUri, expiresAt } = await call('POST', '/v1/offers', {
  headers: await asPartner({ 'idempotency-key': randomUUID() }),
  body: { issuerDid: partner.issuerDid, credentialId: 'degree-lumen', credentialSubject, email, expiresIn: 600 },
});
console.log(encodeQR(offerUri, 'ascii'));
console.log(offerUri);

// The wallet asks for the code that its user was mailed. The sandbox keeps the mail.
show('offered', { email, code: await mailedCode(email), expiresAt });

let before = 'open';
while (before === 'open' || before === 'claimed') {
  await delay(POLL_MS);
  const { state, reason, coreClaimHash, walletEvent } = await call('GET', `/v1/offers/${offerId}`, {
    headers: await asPartner(),
  });
  if (state !== before) show(state, { reason, coreClaimHash, walletEvent });
  before = state;
}
