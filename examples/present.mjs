// A partner asks any wallet with OpenID4VP what a program asks, and gets the result: node examples/present.mjs [address] [data folder].
// The wallet has a degree of examples/offer.mjs. Without a phone: examples/credo-wallet.
import encodeQR from 'qr';
import { call, put, registerPartner, show } from './sandbox.mjs';

const partner = await registerPartner('lumen-university', { scopes: ['verify'] });
const asPartner = async () => ({ 'x-partner-auth': await partner.token('verify') });

// A wallet can show a grade, but not prove a condition on it: the program says that it may be disclosed.
await put('programs/hiring-by-wallet', {
  name: 'Hiring, by a wallet',
  description: 'A good degree.',
  verifierId: 'hireline',
  acceptedCredentials: [{ credentialId: 'degree-lumen', verificationConditions: ['gradeAverage <= 2.5'] }],
  pricingModel: 'Free',
  disclose: true,
});

const { verificationId, wallet } = await call('POST', '/v1/verifications', {
  headers: await asPartner(),
  body: { programId: 'hiring-by-wallet', wallet: { flow: 'cross_device' } },
});
console.log(encodeQR(wallet.uri, 'ascii'));
console.log(wallet.uri);
show('asked', { verificationId });

// Without a chain the result stays Pending once the wallet has answered.
let record;
do {
  record = await call('GET', `/v1/verifications/${verificationId}?wait=15`, { headers: await asPartner() });
} while (record.state === 'open' || (record.state === 'proved' && record.reason !== 'no_chain'));
const { result, reason, disclosed } = record;
show('answered', { status: result.status, reason, disclosed });
