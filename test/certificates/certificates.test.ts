// Certificates of issuers and verifiers (docs/certificates.md): an authority that openssl runs signs the requests, and openssl judges every chain.
import { createPublicKey, verify as verifyBytes, X509Certificate } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { compactVerify, importX509 } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuerHolder, verifierHolder } from '../../src/certificates/certificate-holders.service.js';
import { certificateModels } from '../../src/certificates/models.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { HAS_OPENSSL, pemOf, startAuthority, type TestAuthority } from './openssl.js';

const HTTPS = 'https://gateway.example';
const VERIFIER = { name: 'Agency', verifierDid: 'did:web:agency.example' };
const PRODUCTION = {
  NETWORK_ENV: 'production',
  PUBLIC_URL: HTTPS,
  HOLDER_DID_TYPE: '03d1',
  ADMIN_API_KEY: 'operator-key-of-the-tests-0123456789abcdef',
};

describe.skipIf(!HAS_OPENSSL)('In production, an authority of the operator signs', () => {
  let gateway: TestGateway;
  let authority: TestAuthority;
  const publicUrl = HTTPS;
  const issuer = { _id: 'club', name: 'Club of Ünïcode, "the" =best+' };
  beforeAll(async () => {
    authority = startAuthority();
    gateway = await startGateway({ env: PRODUCTION });
    const body = { name: issuer.name, issuerFrom: 'test', managed: true };
    expect((await gateway.admin('PUT', '/v1/admin/issuers/club', { body })).status).toBe(200);
    await gateway.admin('PUT', '/v1/admin/verifiers/agency', { body: VERIFIER });
  });
  afterAll(async () => {
    authority?.close();
    await gateway?.close();
  });

  const csrOf = async (path: string): Promise<string> => {
    const answer = await gateway.admin('GET', `/v1/admin/${path}/csr`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/x-pem-file/);
    return answer.body;
  };
  const put = (path: string, chain: string) =>
    gateway.admin('PUT', `/v1/admin/${path}/certificate`, { body: { chain } });
  const signerOf = (holder: ReturnType<typeof issuerHolder>) => gateway.app.services.certificates.signer(holder);

  it('a request for each issuer and verifier, and its certificates are used with their whole chain', async () => {
    for (const [path, holder] of [
      ['issuers/club', issuerHolder(issuer, publicUrl)],
      ['verifiers/agency', verifierHolder({ _id: 'agency', name: 'Agency' }, publicUrl)],
    ] as const) {
      expect((await gateway.admin('GET', `/v1/admin/${path}/certificate`)).status).toBe(404);
      expect(await signerOf(holder)).toBeUndefined();
      const leaf = authority.sign(await csrOf(path));
      const answer = await put(path, leaf + authority.intermediate);
      const { fingerprint256 } = new X509Certificate(leaf);
      expect(answer.body).toEqual({
        subject: expect.stringContaining('CN='),
        notBefore: expect.any(String),
        notAfter: new Date(new X509Certificate(leaf).validTo).toISOString(),
        sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
      });
      expect((await gateway.admin('GET', `/v1/admin/${path}/certificate`)).body).toEqual(answer.body);
      const certified = await signerOf(holder);
      expect(authority.verify(pemOf(certified?.x5c ?? []))).toBe('chain.pem: OK');
      const jws = await certified?.signer.sign('text');
      const { payload } = await compactVerify(
        jws ?? '',
        await importX509(pemOf(certified?.x5c.slice(0, 1) ?? []), 'ES256'),
      );
      expect(Buffer.from(payload).toString()).toBe('text');
    }
  });

  it('for names and addresses that verifiers can find in the certificate', async () => {
    const { subjectAltName } = new X509Certificate(authority.sign(await csrOf('issuers/club')));
    expect(subjectAltName).toBe('DNS:gateway.example, URI:https://gateway.example/oid4vci/club');
  });

  const REFUSED: Record<string, [chain: (leaf: string, csr: string) => string, sentence: string]> = {
    'with its root': [
      (leaf) => leaf + authority.intermediate + authority.root,
      '"chain" must not have a self-signed certificate; leave the root out.',
    ],
    'of a self-signed certificate': [
      () => authority.selfSigned(),
      '"chain" must begin with a certificate of the current key: have the present CSR signed.',
    ],
    'of another key': [
      (_leaf, csr) => authority.sign(csr, {}) && authority.intermediate,
      '"chain" must begin with a certificate of the current key: have the present CSR signed.',
    ],
    'of a certificate that is over': [
      (_leaf, csr) => authority.sign(csr, { from: -9, days: -1 }),
      'has a certificate that expired at',
    ],
    'of a certificate that is not yet valid': [
      (_leaf, csr) => authority.sign(csr, { from: 2, days: 9 }),
      'has a certificate that is valid only from',
    ],
    'whose key may not sign': [
      (_leaf, csr) => authority.sign(csr, { extensions: 'keyUsage=critical,keyAgreement\n' }),
      'whose key may sign (digitalSignature)',
    ],
    'of an authority': [
      (_leaf, csr) =>
        authority.sign(csr, {
          extensions: 'basicConstraints=critical,CA:TRUE\nkeyUsage=digitalSignature,keyCertSign\n',
        }),
      'that is not of an authority',
    ],
    'out of order': [
      (leaf) => leaf + authority.below().intermediate + authority.intermediate,
      'must be in order: certificate 1 was not signed by certificate 2',
    ],
    'of five certificates': [(leaf) => leaf + authority.intermediate.repeat(4), 'at most 4 certificates'],
    'with text around it': [(leaf) => `${leaf}\nhello`, 'certificates in PEM and nothing else'],
    'with a private key': [
      (leaf) => `${leaf}-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n`,
      'certificates in PEM and nothing else',
    ],
    'that is empty': [() => ' ', 'at least one certificate'],
    'that cannot be read': [
      () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'cannot be read, number 1',
    ],
  };
  it.each(Object.keys(REFUSED))('a chain %s is refused', async (name) => {
    const [chain, sentence] = REFUSED[name] ?? [() => '', ''];
    const csr = await csrOf('issuers/club');
    const before = (await gateway.admin('GET', '/v1/admin/issuers/club/certificate')).body;
    const { status, body } = await put('issuers/club', chain(authority.sign(csr), csr));
    expect(status).toBe(400);
    expect(body.message).toContain(sentence);
    expect((await gateway.admin('GET', '/v1/admin/issuers/club/certificate')).body).toEqual(before);
  });

  it('a chain of three authorities', async () => {
    const lowest = authority.below().below();
    const middle = authority.below().intermediate;
    const chain = lowest.sign(await csrOf('verifiers/agency')) + lowest.intermediate;
    expect((await put('verifiers/agency', chain)).status).toBe(200);
    expect((await put('verifiers/agency', chain + middle + authority.intermediate)).status).toBe(400);
  });

  it.each(['issuers/club', 'verifiers/agency'])(
    'the next key of %s; it is used once it has a certificate, and no signature is lost',
    async (path) => {
      const holder = path.startsWith('issuers')
        ? issuerHolder(issuer, publicUrl)
        : verifierHolder({ _id: 'agency', name: 'Agency' }, publicUrl);
      await put(path, authority.sign(await csrOf(path)) + authority.intermediate);
      const first = await signerOf(holder);
      let isOver = false;
      let signatures = 0;
      const used = new Set<string>();
      const signing = (async () => {
        while (!isOver) {
          const certified = await signerOf(holder);
          if (certified === undefined) throw new Error('there is no signer');
          const key = createPublicKey(
            new X509Certificate(pemOf(certified.x5c.slice(0, 1))).publicKey.export({ format: 'pem', type: 'spki' }),
          );
          const jws = await certified.signer.sign(`${signatures}`);
          const [header, payload, signature] = jws.split('.');
          const input = Buffer.from(`${header}.${payload}`);
          const isGood = verifyBytes(
            'sha256',
            input,
            { key, dsaEncoding: 'ieee-p1363' },
            Buffer.from(signature ?? '', 'base64url'),
          );
          if (!isGood) throw new Error('a signature does not fit its certificate');
          used.add(certified.signer.kid);
          signatures += 1;
          await setImmediate();
        }
      })();
      const rotated = await gateway.admin('POST', `/v1/admin/${path}/rotate-key`);
      expect(rotated.status).toBe(201);
      expect((await signerOf(holder))?.signer.kid).toBe(first?.signer.kid);
      expect((await put(path, authority.sign(await csrOf(path)) + authority.intermediate)).status).toBe(200);
      await expect.poll(() => used.has(rotated.body.kid)).toBe(true);
      isOver = true;
      await signing;
      expect(signatures).toBeGreaterThan(1);
      expect([...used]).toEqual([first?.signer.kid, rotated.body.kid]);
    },
  );

  it('nothing without an operator key that may', async () => {
    expect((await gateway.rest('GET', '/v1/admin/issuers/club/csr')).status).toBe(401);
    expect((await gateway.admin('GET', '/v1/admin/issuers/nobody/csr')).status).toBe(404);
    const other = { name: 'Other', issuerDid: 'did:web:other.example', issuerFrom: 'test' };
    await gateway.admin('PUT', '/v1/admin/issuers/other', { body: other });
    expect((await gateway.admin('GET', '/v1/admin/issuers/other/csr')).status).toBe(409);
    expect((await gateway.rest('GET', '/v1/sandbox/root.pem')).status).toBe(404);
  });

  it('a certificate that is over signs nothing any more', async () => {
    const { connection } = gateway.app;
    await certificateModels(connection).certificates.updateMany({ owner: 'issuer:club' }, { notAfter: new Date(0) });
    const other = await startGateway({ env: { ...PRODUCTION, MONGODB_URI: databaseUri(connection.name) } });
    await expect(other.app.services.certificates.signer(issuerHolder(issuer, publicUrl))).rejects.toMatchObject({
      code: 'CERTIFICATE_EXPIRED',
      status: 503,
    });
    await other.close();
  });
});

describe('The sandbox has an authority of its own', () => {
  it('that signs a certificate at the first need, the same in all processes', async () => {
    const gateway = await startGateway();
    const { name } = gateway.app.connection;
    const other = await startGateway({ env: { MONGODB_URI: databaseUri(name) } });
    await gateway.admin('PUT', '/v1/admin/verifiers/agency', { body: VERIFIER });
    const holder = verifierHolder({ _id: 'agency', name: 'Agency' }, 'http://127.0.0.1:4000');
    const both = [gateway, other, gateway, other].map(({ app }) => app.services.certificates.signer(holder));
    const signers = await Promise.all(both);
    expect(new Set(signers.map((one) => one?.x5c.join())).size).toBe(1);
    const roots = await Promise.all([gateway, other].map(({ rest }) => rest('GET', '/v1/sandbox/root.pem')));
    expect(roots[0]?.status).toBe(200);
    expect(roots[1]?.body).toBe(roots[0]?.body);
    const [leaf = ''] = signers[0]?.x5c ?? [];
    const certificate = new X509Certificate(Buffer.from(leaf, 'base64'));
    expect(certificate.verify(new X509Certificate(roots[0]?.body).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1, URI:http://127.0.0.1:4000');
    if (HAS_OPENSSL) {
      const authority = startAuthority();
      expect(authority.verify(pemOf([leaf]), roots[0]?.body)).toBe('chain.pem: OK');
      authority.close();
    }
    await gateway.close();
    await other.close();
  });

  it('that renews a certificate before it is over, and gives a new key one', async () => {
    const gateway = await startGateway();
    await gateway.admin('PUT', '/v1/admin/verifiers/agency', { body: VERIFIER });
    const holder = verifierHolder({ _id: 'agency', name: 'Agency' }, 'http://localhost:4000');
    const { certificates } = gateway.app.services;
    const first = await certificates.signer(holder);
    const soon = new Date(Date.now() + 5 * 86_400_000);
    await certificateModels(gateway.app.connection).certificates.updateOne(
      { _id: first?.signer.kid },
      { notAfter: soon },
    );
    certificates.forget(holder);
    const second = await certificates.signer(holder);
    expect(second?.signer.kid).toBe(first?.signer.kid);
    expect(second?.x5c).not.toEqual(first?.x5c);
    expect(Number(second?.notAfter)).toBeGreaterThan(Date.now() + 300 * 86_400_000);
    const { body } = await gateway.admin('POST', '/v1/admin/verifiers/agency/rotate-key');
    expect((await certificates.signer(holder))?.signer.kid).toBe(body.kid);
    await gateway.close();
  });
});
