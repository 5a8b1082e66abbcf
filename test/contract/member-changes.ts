// Every member of an entry that an operator can write, with a second value for it. A member that is added to a body has to be added here.
import type { z } from 'zod';
import { IMPORT_BODIES, PUT_BODIES } from '../../src/catalog/admin/bodies.js';
import { CATALOG_KINDS } from '../../src/catalog/rows/models.js';
import { partnerBody } from '../../src/partners/partner-inputs.js';
import { loadSuite, publicKeyMultibase } from '../../src/zk/index.js';
import { SCHEMA } from '../support/membership.js';
import { authority, pemOf } from '../openid4vp/authority.js';
import type { TestGateway } from '../support/gateway.js';

export const WRITTEN_KINDS = [...CATALOG_KINDS, 'partners'] as const;
export type WrittenKind = (typeof WRITTEN_KINDS)[number];
export type Body = Record<string, unknown>;

const membersOf = (schema: unknown): string[] => Object.keys((schema as z.ZodObject).shape);

/** The members of a PUT's body. */
export const putMembers = (kind: WrittenKind): string[] =>
  membersOf(kind === 'partners' ? partnerBody : PUT_BODIES[kind]);

/** The members of an import line. */
export const importMembers = (kind: WrittenKind): string[] =>
  membersOf(kind === 'partners' ? partnerBody : IMPORT_BODIES[kind]);

const POINT = { name: 'note', title: 'Note', type: 'string', isRequired: true, description: '' };
const COUNTS = { holderCount: 7, issuanceCount: 8, verificationCount: 9 };
const JWK = {
  ...{ kty: 'EC', crv: 'P-256', kid: 'k' },
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};
const suite = await loadSuite();
const zkKey = { kid: 'zk', publicKeyMultibase: publicKeyMultibase(suite.newKey().publicKey) };

const ANCHOR = pemOf(await authority('Other'));

/** Writes the entries that the bodies below refer to. */
export async function putReferences({ admin }: Pick<TestGateway, 'admin'>): Promise<void> {
  const put = async (path: string, body: Body): Promise<void> => {
    const answer = await admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  };
  const pass = { name: 'Pass', category: 'Club', schemaId: SCHEMA.$id, issuerId: 'club', cak: true };
  for (const name of ['one', 'two']) {
    await put(`issuers/${name}`, { name, issuerFrom: 'x', issuerDid: `did:web:${name}.example` });
    await put(`verifiers/${name}`, { name, verifierDid: `did:web:verifier-${name}.example` });
    await put(`schemas/${name}`, { title: name, description: '', dataPoints: [POINT] });
    await put(`credentials/${name}`, pass);
  }
}

/** A body whose members can each be changed alone. `id` is part of its DIDs, so that no two bodies share one. */
export function bodyOf(kind: WrittenKind, id: string): Body {
  const did = `did:web:${encodeURIComponent(id).toLowerCase()}.example`;
  const bodies: Record<WrittenKind, Body> = {
    issuers: { name: 'A', issuerFrom: 'EU', issuerDid: did },
    verifiers: { name: 'A', verifierDid: did },
    schemas: { title: 'A', description: '', dataPoints: [POINT] },
    credentials: {
      name: 'A',
      category: 'Club',
      issuerId: 'one',
      schemaId: 'one',
      accessibleEnd: '2040-01-01T00:00:00Z',
    },
    programs: {
      ...{ name: 'A', description: '', verifierId: 'one', pricingModel: 'free' },
      acceptedCredentials: [{ credentialId: 'one', verificationConditions: [] }],
    },
    partners: { name: 'A', jwks: { keys: [JWK] }, scopes: ['issue'] },
  };
  return bodies[kind];
}

/** The second value of each member; undefined members are left out. */
const CHANGES: Record<WrittenKind, Record<string, Body | ((id: string) => Body)>> = {
  issuers: {
    name: { name: 'B' },
    issuerFrom: { issuerFrom: 'US' },
    issuerDid: (id) => ({ issuerDid: `did:web:other-${id.toLowerCase()}.example` }),
    managed: { managed: true, issuerDid: undefined },
    availableVcUrl: { availableVcUrl: 'https://issuer.example/available?token=canary' },
    issueVcUrl: { issueVcUrl: 'https://issuer.example/issue?token=canary' },
    apiKey: { apiKey: 'canary-key' },
    zkKeys: { zkKeys: [zkKey] },
    anchors: { anchors: [ANCHOR] },
    walletIssuer: { walletIssuer: 'https://issuer.example/wallets?token=canary' },
    wallets: { wallets: { profile: 'haip', walletProviders: [], keyProviders: [] } },
    subjectUrl: { subjectUrl: 'https://issuer.example/subject?token=canary', managed: true, issuerDid: undefined },
    credentialUrl: { credentialUrl: 'https://issuer.example/credential?token=canary', anchors: [ANCHOR] },
    createdAt: { createdAt: '2020-01-01T00:00:00Z' },
    traction: { traction: COUNTS },
  },
  verifiers: {
    name: { name: 'B' },
    verifierDid: (id) => ({ verifierDid: `did:web:other-${id.toLowerCase()}.example` }),
    verifierInfo: { verifierInfo: [{ format: 'jwt', data: 'an.attestation.of' }] },
    createdAt: { createdAt: '2020-01-01T00:00:00Z' },
  },
  schemas: {
    title: { title: 'B' },
    description: { description: 'B' },
    dataPoints: { dataPoints: [{ ...POINT, name: 'level' }] },
    jsonSchema: {
      jsonSchema: { ...SCHEMA, $id: undefined },
      title: undefined,
      description: undefined,
      dataPoints: undefined,
    },
    createdAt: { createdAt: '2020-01-01T00:00:00Z' },
  },
  credentials: {
    name: { name: 'B' },
    category: { category: 'School' },
    issuerId: { issuerId: 'two' },
    schemaId: { schemaId: 'two' },
    accessibleStart: { accessibleStart: '2020-01-01T00:00:00Z' },
    accessibleEnd: { accessibleEnd: '2041-01-01T00:00:00Z' },
    expirationDuration: { expirationDuration: 60 },
    maximumIssuance: { maximumIssuance: 7 },
    provable: { provable: false },
    cak: { cak: true },
    vct: { vct: 'https://credentials.example/pass' },
    derived: { derived: [{ name: 'has_note', condition: 'note exists' }] },
    force: { force: true },
    createdAt: { createdAt: '2020-01-01T00:00:00Z' },
    traction: { traction: COUNTS },
  },
  programs: {
    name: { name: 'B' },
    description: { description: 'B' },
    verifierId: { verifierId: 'two' },
    acceptedCredentials: { acceptedCredentials: [{ credentialId: 'two', verificationConditions: [] }] },
    pricingModel: { pricingModel: 'paid' },
    maxPerHolder: { maxPerHolder: 3 },
    cak: { cak: true },
    disclose: { disclose: true },
    createdAt: { createdAt: '2020-01-01T00:00:00Z' },
    traction: { traction: COUNTS },
  },
  partners: {
    name: { name: 'B' },
    jwksUri: { jwksUri: 'https://partner.example/jwks.json', jwks: undefined },
    jwks: { jwks: { keys: [{ ...JWK, kid: 'other' }] } },
    scopes: { scopes: ['issue', 'verify'] },
    issuerDids: { issuerDids: ['did:web:one.example'] },
    issueOnBehalf: { issueOnBehalf: true },
    verifierIds: { verifierIds: ['one'] },
    allowedOrigins: { allowedOrigins: ['https://app.example'] },
    requireTyp: { requireTyp: false },
    requireScope: { requireScope: false },
    gasPolicy: { gasPolicy: { mintsPerDay: 3 } },
  },
};

/** The body with the second value of one member. @throws Error for a member that has no second value here yet. */
export function withChange(kind: WrittenKind, member: string, id: string): Body {
  const change = CHANGES[kind][member];
  if (change === undefined) throw new Error(`test/contract/member-changes.ts has no change of ${kind}.${member}`);
  return { ...bodyOf(kind, id), ...(typeof change === 'function' ? change(id) : change) };
}
