// For each kind: a body as the operator PUTs it, and the members that its record has beside those.
import { expect } from 'vitest';
import { POINTS } from '../catalog/admin/admin-fixture.js';

export const KINDS = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'];
const ISO = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
export const WRITTEN = { createdAt: ISO, updatedAt: ISO, etag: expect.stringMatching(/^[\w-]{22}$/) };
const COUNTS = { holderCount: 0, issuanceCount: 0, verificationCount: 0 };

export const BODIES: Record<string, { id: string; body: Record<string, unknown>; record: Record<string, unknown> }> = {
  issuers: {
    id: 'i-1',
    body: { name: 'West', issuerDid: 'did:web:west.example', issuerFrom: 'EU' },
    record: {
      issuerId: 'i-1',
      managed: false,
      availableVcUrl: null,
      issueVcUrl: null,
      subjectUrl: null,
      credentialUrl: null,
      zkKeys: [],
      anchors: [],
      walletIssuer: null,
      wallets: null,
      traction: COUNTS,
      credentialCount: 0,
    },
  },
  verifiers: {
    id: 'v-1',
    body: { name: 'Hatch', verifierDid: 'did:web:hatch.example' },
    record: { verifierId: 'v-1', verifierInfo: [], programCount: 0 },
  },
  schemas: {
    id: 'https://schemas.example/pass.json',
    body: { title: 'Pass', description: 'A pass.', dataPoints: POINTS },
    record: {
      schemaId: 'https://schemas.example/pass.json',
      version: 1,
      jsonSchema: null,
      credentialCount: 0,
      issuerCount: 0,
    },
  },
  credentials: {
    id: 'c-1',
    body: { name: 'Pass', category: 'travel', issuerId: 'north', schemaId: 'person', maximumIssuance: 5 },
    record: {
      credentialId: 'c-1',
      schemaVersion: 1,
      accessibleStart: null,
      accessibleEnd: null,
      expirationDuration: null,
      provable: null,
      cak: false,
      vct: null,
      derived: [],
      firstIssuedAt: null,
      lastIssuedAt: null,
      traction: { ...COUNTS, demandCount: 0 },
    },
  },
  programs: {
    id: 'p-1',
    body: {
      name: 'Turnstile',
      description: '',
      verifierId: 'gate',
      acceptedCredentials: [{ credentialId: 'adult', verificationConditions: ['age between 18 and 99'] }],
      pricingModel: 'free',
    },
    record: {
      programId: 'p-1',
      maxPerHolder: null,
      cak: false,
      disclose: false,
      provable: false,
      unprovable: [{ credentialId: 'adult', condition: null, why: 'keys' }],
      askable: false,
      unaskable: [{ credentialId: 'adult', condition: null, why: 'keys' }],
      traction: { verificationCount: 0 },
    },
  },
};

export const pathOf = (kind: string) => `/v1/admin/${kind}/${encodeURIComponent(BODIES[kind]?.id ?? '')}`;
