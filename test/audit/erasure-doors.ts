// The doors through which operators erase holders and reset their second factors: each has a holder of its own.
import { asOperator, asPartner, byOperator, type Door } from './doors.js';

async function aHolder(email: string): Promise<{ email: string }> {
  await asPartner('POST', '/v1/auth/initialize-user', { email });
  return { email };
}

export const ERASURE_DOORS: Door[] = [
  [
    'POST /v1/admin/holders/erase',
    'holder.erase',
    async () => asOperator('POST', '/v1/admin/holders/erase', await aHolder('erased-one@example.org')),
  ],
  [
    'POST /v1/admin/holders/reset-mfa',
    'holder.reset-mfa',
    async () => asOperator('POST', '/v1/admin/holders/reset-mfa', await aHolder('reset-one@example.org')),
  ],
  ['resetMfa', 'holder.reset-mfa', async () => byOperator('resetMfa', await aHolder('reset-two@example.org'))],
  ['eraseHolder', 'holder.erase', async () => byOperator('eraseHolder', await aHolder('erased-two@example.org'))],
];
