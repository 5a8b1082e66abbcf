// Certificates that end soon, of keys whose owner has no newer one.
import type { CertificateModels, CertificateRow } from './models.js';

/** How early the end of a certificate is reported, milliseconds. */
const ENDING_MS = 30 * 86_400_000;
const MAX_NAMED = 10;

/**
 * The certificates that end within 30 days or have ended, unless a newer key of the same owner has one that does not;
 * at most 10. The sandbox renews its own. @param now milliseconds since the epoch
 */
export async function endingCertificates(
  { certificates }: CertificateModels,
  now: number,
): Promise<Pick<CertificateRow, 'owner' | 'notAfter'>[]> {
  const soon = new Date(now + ENDING_MS);
  const ending = await certificates
    .find({ notAfter: { $lt: soon }, ofSandbox: false })
    .limit(MAX_NAMED)
    .lean<CertificateRow[]>();
  if (ending.length === 0) return [];
  const lasting = await certificates
    .find({ owner: { $in: ending.map(({ owner }) => owner) }, notAfter: { $gte: soon } })
    .lean();
  const renewed = new Set(lasting.map(({ owner }) => owner));
  return ending.filter(({ owner }) => !renewed.has(owner));
}
