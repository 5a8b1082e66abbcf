// Keys and certificates of issuers and verifiers, for operators, and the root of the sandbox's authority (docs/certificates.md). Only REST has them.
import type { z } from 'zod';
import { requireOperator } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { TEXT } from '../http/routes/shapes.js';
import type { CertificateAdmin, KeyedKind } from './certificate-admin.js';
import type { Certificates } from './certificates.service.js';
import { type CertificateParams, certificate, certificateParams, putCertificateInput, rotatedKey } from './types.js';

export interface CertificateRouteServices {
  certificates: Certificates;
  certificateAdmin: CertificateAdmin;
}

const PEM = 'application/x-pem-file';
const COLLECTIONS = { issuer: 'issuers', verifier: 'verifiers' } as const;

/** All routes of certificates. */
export function certificateRoutes({ certificates, certificateAdmin }: CertificateRouteServices): AnyRoute[] {
  return [
    ...routesOf(certificateAdmin, 'issuer'),
    ...routesOf(certificateAdmin, 'verifier'),
    route({
      method: 'GET',
      path: '/v1/sandbox/root.pem',
      summary: "The root certificate of the sandbox's authority; in the sandbox only",
      auth: 'public',
      answers: { 200: TEXT },
      produces: PEM,
      fails: { 404: 'This is not a sandbox.' },
      handle: async () => ({ body: await certificates.root(), contentType: PEM }),
    }),
  ];
}

function routesOf(admin: CertificateAdmin, kind: KeyedKind): AnyRoute[] {
  const path = `/v1/admin/${COLLECTIONS[kind]}/:id`;
  const unmanaged: Record<number, string> = kind === 'issuer' ? { 409: 'The issuer is not managed.' } : {};
  const missing = { 404: `There is no such ${kind}, or it is retired.`, ...unmanaged };
  return [
    route<CertificateParams, unknown, unknown>({
      method: 'GET',
      path: `${path}/csr`,
      summary: `A certificate signing request (PKCS#10) for the newest key of the ${kind}`,
      auth: 'operator',
      role: 'catalog',
      params: certificateParams,
      answers: { 200: TEXT },
      produces: PEM,
      fails: missing,
      handle: async ({ params: { id } }) => ({ body: await admin.request(kind, id), contentType: PEM }),
    }),
    route<CertificateParams, unknown, unknown>({
      method: 'GET',
      path: `${path}/certificate`,
      summary: `The certificate of the ${kind}`,
      auth: 'operator',
      params: certificateParams,
      answers: { 200: certificate },
      fails: { ...missing, 404: `There is no such ${kind}, it is retired, or it has no certificate.` },
      handle: async ({ params: { id } }) => ({ body: await admin.get(kind, id) }),
    }),
    route<CertificateParams, unknown, z.output<typeof putCertificateInput>>({
      method: 'PUT',
      path: `${path}/certificate`,
      summary: `Put the certificate of the newest key of the ${kind}`,
      auth: 'operator',
      role: 'catalog',
      params: certificateParams,
      body: putCertificateInput,
      answers: { 200: certificate },
      fails: missing,
      handle: async ({ caller, params: { id }, body: { chain } }) => ({
        body: await admin.put(requireOperator(caller, 'catalog'), kind, id, chain),
      }),
    }),
    route<CertificateParams, unknown, unknown>({
      method: 'POST',
      path: `${path}/rotate-key`,
      summary: `Create a new key of the ${kind}; signatures of earlier ones stay verifiable`,
      auth: 'operator',
      params: certificateParams,
      answers: { 201: rotatedKey },
      fails:
        kind === 'issuer'
          ? { ...missing, 409: 'The issuer is not managed, or its DID is its key (did:key).' }
          : missing,
      handle: async ({ caller, params: { id } }) => ({
        status: 201,
        body: await admin.rotateKey(requireOperator(caller, 'all'), kind, id),
      }),
    }),
  ];
}
