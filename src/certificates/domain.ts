// The parts of the certificates domain.
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { PartCheck } from '../base/monitoring/problems.js';
import type { Core } from '../compose/domain.js';
import { CertificateAdmin } from './certificate-admin.js';
import { type CertificateRouteServices, certificateRoutes } from './certificates.routes.js';
import { Certificates } from './certificates.service.js';
import { endingCertificates } from './ending.js';
import { certificateModels } from './models.js';

export const certificatesDomain = {
  models: certificateModels,
  services(
    { connection, config, signingKeys, managedIssuers, recordWrites, publicUrl, clock }: Core,
    { issuingCatalog: catalog }: { issuingCatalog: IssuingCatalog },
  ): CertificateRouteServices {
    const sandbox = config.networkEnv === 'sandbox';
    const certificates = new Certificates({ models: certificateModels(connection), signingKeys, sandbox, clock });
    const parts = { connection, catalog, certificates, signingKeys, managedIssuers, recordWrites, publicUrl };
    return { certificates, certificateAdmin: new CertificateAdmin(parts) };
  },
  partChecks: ({ connection, clock }: Core): PartCheck[] => [
    {
      kinds: ['certificate-ends', 'certificate-ended'],
      look: async () => {
        const now = clock();
        const ending = await endingCertificates(certificateModels(connection), now);
        return ending.map(({ owner, notAfter }) => ({
          kind: notAfter.getTime() <= now ? 'certificate-ended' : 'certificate-ends',
          of: owner,
        }));
      },
    },
  ],
  routes: (services: CertificateRouteServices) => certificateRoutes(services),
};
