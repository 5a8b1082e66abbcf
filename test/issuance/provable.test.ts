// Provable credentials: what a holder gets beside the credential, with which keys, and what switches it off.
import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { compactVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Problems } from '../../src/base/monitoring/problems.js';
import { sealedFields } from '../../src/compose/domains.js';
import { normalForm, parseCondition } from '../../src/conditions/index.js';
import { keyModels } from '../../src/keys/models.js';
import { rekey } from '../../src/store/rekey.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { ZkKeys } from '../../src/keys/zk/keys.js';
import { ZkThreads } from '../../src/keys/zk/threads.js';
import { decodePresentation, fromBase64url, loadSuite, publicKeyBytes, toBase64url } from '../../src/zk/index.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { keyOfDidKey } from '../support/holder-device.js';
import { SCHEMA } from '../support/membership.js';
import { prove, verify } from '../support/prover.js';
import { type Issuing, openPackage, startIssuing } from './provable-fixture.js';

const suite = await loadSuite();
let issuing: Issuing;
let gateway: TestGateway;
beforeAll(async () => {
  issuing = await startIssuing();
  gateway = issuing.gateway;
});
afterAll(() => gateway?.close());

const SUBJECT = { level: 3, since: '2024-02-29', note: 'gold' };
const encoding = async () =>
  (await gateway.rest('GET', `/v1/schemas/${encodeURIComponent(SCHEMA.$id)}/versions/1/encoding`)).body;
const zkKeys = async (id = 'club') => (await gateway.rest('GET', `/v1/issuers/${id}/zk-keys`)).body;

describe('A credential', () => {
  it('a credential comes with a signature with which its holder can prove conditions', async () => {
    const { zk, coreClaim } = await openPackage(issuing, SUBJECT);
    const { suite: name, points } = await encoding();
    const coreClaimHash = createHash('sha256')
      .update(canonicalize(coreClaim) ?? '')
      .digest('hex');
    const [key] = (await zkKeys()).keys;
    expect(zk).toEqual({
      suite: name,
      schemaId: SCHEMA.$id,
      schemaVersion: 1,
      kid: key.kid,
      signature: expect.any(String),
    });
    const publicKey = publicKeyBytes(key.publicKeyMultibase) ?? new Uint8Array();
    const signature = fromBase64url(zk.signature) ?? new Uint8Array();
    const facts = { coreClaimHash, schemaId: SCHEMA.$id, schemaVersion: 1 };
    const claim = { ...facts, credentialSubject: coreClaim.credentialSubject };
    expect(suite.isSigned(claim, points, signature, publicKey)).toBe(true);

    const families = (field: string) => points.find((point: { name: string }) => point.name === field)?.family;
    const texts = ['level = 3', 'since exists'];
    const { forms } = normalForm(texts.map(parseCondition), families, Date.now());
    const challenge = {
      ...{ verificationId: 'v', nonce: toBase64url(new Uint8Array(32)), now: new Date().toISOString() },
      ...{ partnerId: 'p', programId: 'g', programVersion: 'x' },
    };
    const terms = { challenge, credentialId: 'member', ...zk, points, conditions: forms };
    const { presentation, opening } = await prove(terms, { claim, signature });
    const decoded = decodePresentation(presentation);
    expect(await verify(terms, publicKey, presentation)).toBe(true);
    expect(suite.opens(facts, decoded.commitment, opening)).toBe(true);
  });

  it('a credential that is not provable has no such signature, and its record shows it', async () => {
    const { body } = await gateway.admin('GET', '/v1/admin/credentials/member');
    expect(body.provable).toBeNull();
    await issuing.putCredential({ provable: false });
    expect((await gateway.admin('GET', '/v1/admin/credentials/member')).body.provable).toBe(false);
    expect((await openPackage(issuing, SUBJECT)).zk).toBeUndefined();
    await issuing.putCredential({ provable: true });
    expect((await openPackage(issuing, SUBJECT)).zk).toBeDefined();
    await issuing.putCredential({});
  });

  it('a credential cannot be provable on a schema of more than 64 data points', async () => {
    const point = (at: number) => ({ name: `p${at}`, title: 'P', type: 'string', isRequired: false, description: '' });
    const dataPoints = Array.from({ length: 65 }, (_, at) => point(at));
    await gateway.admin('PUT', '/v1/admin/schemas/wide', { body: { title: 'W', description: '', dataPoints } });
    const wide = { name: 'Wide', category: 'c', issuerId: 'club', schemaId: 'wide' };
    const put = (provable?: boolean) =>
      gateway.admin('PUT', '/v1/admin/credentials/wide', { body: { ...wide, provable } });
    expect((await put(true)).body).toEqual({ error: 400, message: expect.stringContaining('at most 64 data points') });
    expect((await put()).status).toBe(200);
    expect((await openPackage(issuing, { p0: 'x' }, 'wide')).zk).toBeUndefined();
  });
});

describe('The keys of an issuer', () => {
  it('the key list of an issuer is signed by its DID key', async () => {
    await openPackage(issuing, SUBJECT);
    const { issuerDid, keys, proof } = await zkKeys();
    expect(keys).toHaveLength(1);
    const { payload } = await compactVerify(proof, keyOfDidKey(issuerDid));
    expect(new TextDecoder().decode(payload)).toBe(canonicalize({ issuerDid, keys }));
  });

  it('an issuer has one key, however many processes sign first', async () => {
    const models = keyModels(gateway.app.connection);
    const box = new SealedBox(Buffer.alloc(32, 7));
    const problems = new Problems({ warn: () => {}, info: () => {} });
    const threads = [new ZkThreads({ max: 1, problems }), new ZkThreads({ max: 2, problems })];
    const claim = { coreClaimHash: 'ab'.repeat(32), schemaId: 's', schemaVersion: 1, credentialSubject: {} };
    try {
      const processes = threads.map((own) => new ZkKeys({ models, box, threads: own, clock: Date.now }));
      const members = await Promise.all([...processes, ...processes].map((each) => each.sign('fresh', claim, [])));
      const stored = await processes[0]?.publicKeys('fresh');
      expect(new Set(members.map((member) => member?.kid))).toEqual(new Set(stored?.map(({ kid }) => kid)));
      expect(stored).toHaveLength(1);
    } finally {
      for (const each of threads) await each.close();
    }
  });

  it("an issuer's key signs for ten seconds at most after another process has withdrawn it, however busy the issuer is", async () => {
    const options = { models: keyModels(gateway.app.connection), box: new SealedBox(Buffer.alloc(32, 7)) };
    const threads = new ZkThreads({ max: 1, problems: new Problems({ warn: () => {}, info: () => {} }) });
    onTestFinished(() => threads.close());
    const busy = new ZkKeys({ ...options, threads, clock: Date.now });
    const claim = { coreClaimHash: 'ab'.repeat(32), schemaId: 's', schemaVersion: 1, credentialSubject: {} };
    const sign = async () => (await busy.sign('busy', claim, []))?.kid ?? '';
    const before = await sign();
    await new ZkKeys({ ...options, threads: undefined, clock: Date.now }).withdraw(before);
    let ahead = 0;
    const monotonic = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + ahead);
    onTestFinished(() => clock.mockRestore());
    ahead = 6_000;
    await sign();
    ahead = 12_000;
    expect(await sign()).not.toBe(before);
  });

  it('a withdrawn key of an issuer is removed from its list, and the next credential has another', async () => {
    const [before] = (await zkKeys()).keys;
    await gateway.app.services.zkKeys.withdraw(before.kid);
    expect((await zkKeys()).keys).toEqual([]);
    const { zk } = await openPackage(issuing, SUBJECT);
    const { keys } = await zkKeys();
    expect([keys.length, keys[0].kid]).toEqual([1, zk.kid]);
    expect(zk.kid).not.toBe(before.kid);
    await expect(gateway.app.services.zkKeys.withdraw('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('unknown issuers have no key list, and self-signing ones an empty one', async () => {
    expect((await gateway.rest('GET', '/v1/issuers/nobody/zk-keys')).status).toBe(404);
    const body = { name: 'Own', issuerDid: 'did:web:own.example', issuerFrom: 'x' };
    await gateway.admin('PUT', '/v1/admin/issuers/own', { body });
    expect(await zkKeys('own')).toEqual({ issuerDid: 'did:web:own.example', keys: [], proof: null });
  });
});

describe('The DID document of an issuer', () => {
  it('the DID document of an issuer is served only for managed did:web issuers', async () => {
    expect((await gateway.rest('GET', '/v1/issuers/club/did.json')).status).toBe(404);
    const web = await startGateway({ env: { PUBLIC_URL: 'https://gateway.example' } });
    try {
      const body = { name: 'Club', managed: true, issuerFrom: 'x' };
      const { body: issuer } = await web.admin('PUT', '/v1/admin/issuers/club', { body });
      const { status, body: document } = await web.rest('GET', '/v1/issuers/club/did.json');
      expect([status, document.id]).toEqual([200, issuer.issuerDid]);
      expect(document.verificationMethod).toHaveLength(1);
    } finally {
      await web.close();
    }
  });
});

describe('With ZK=off', () => {
  it('with ZK=off, credentials are issued without a provable signature', async () => {
    const off = await startIssuing({ ZK: 'off' });
    try {
      expect((await openPackage(off, SUBJECT)).zk).toBeUndefined();
      expect((await off.gateway.rest('GET', '/v1/issuers/club/zk-keys')).body.keys).toEqual([]);
    } finally {
      await off.gateway.close();
    }
  });
});

describe('A change of KEYSTORE_KEY', () => {
  it('a change of KEYSTORE_KEY seals the keys of issuers again', async () => {
    const { connection } = gateway.app;
    const before = Buffer.alloc(32, 7);
    const current = Buffer.alloc(32, 9);
    await rekey(sealedFields(connection), new SealedBox(current, [before]));
    const rows = await keyModels(connection).zkKeys.find().lean();
    expect(rows.length).toBeGreaterThan(0);
    const box = new SealedBox(current);
    for (const { _id, sealedSecretKey, publicKeyMultibase } of rows) {
      const secretKey = new Uint8Array(box.unseal(sealedSecretKey, { what: 'zk-key', whose: _id }));
      expect(suite.publicKeyOf(secretKey)).toEqual(publicKeyBytes(publicKeyMultibase));
    }
  });
});
