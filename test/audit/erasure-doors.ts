// The doors through which operators erase holders: each erases one of its own.
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
  ['eraseHolder', 'holder.erase', async () => byOperator('eraseHolder', await aHolder('erased-two@example.org'))],
];
