// Names of issuers in requests and certificates: any text, up to 64 characters.
import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { expect, it } from 'vitest';
import { certificateRequest, rootCertificate, signedCertificate } from '../../src/certificates/x509.js';

const NAMES = [
  '#1 Pizza',
  '#abcd',
  `${'a'.repeat(63)}😀`,
  '😀'.repeat(65),
  'Comma, Inc. + "quote" =x\\',
  ' spaces ',
  '漢字',
  '<;>',
];

it.each(NAMES)('a request and a certificate for %j have the name as it is', async (name) => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const root = await rootCertificate('An authority', keys, new Date());
  const subject = { name, address: 'https://gateway.example/oid4vci/club' };
  const shown = [...name].slice(0, 64).join('');
  const request = new Pkcs10CertificateRequest(await certificateRequest(subject, keys));
  expect(request.subjectName.getField('CN')).toEqual([shown]);
  const certificate = await signedCertificate({ root, keys }, subject, keys.publicKey, new Date());
  expect(certificate.toLegacyObject().subject.CN).toBe(shown);
  expect(certificate.checkIssued(root) && certificate.verify(root.publicKey)).toBe(true);
  expect(new X509Certificate(certificate.raw).issuer).toBe(root.subject);
});
