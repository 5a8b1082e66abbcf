// A small catalog for tests, as import lines: two issuers on two schemas, three credentials, one verifier with two programs.
import type { TestGateway } from '../../support/gateway.js';

export const POINTS = [
  { name: 'age', title: 'Age', type: 'integer', isRequired: true, description: 'Full years.' },
  { name: 'address.country', title: 'Country', type: 'string', isRequired: false, description: '' },
];

const counted = (holderCount: number, issuanceCount: number, verificationCount: number) => ({
  traction: { holderCount, issuanceCount, verificationCount },
});

export const SMALL_CATALOG: readonly Record<string, unknown>[] = [
  { kind: 'issuers', id: 'north', name: 'North University', issuerDid: 'did:web:north.example', issuerFrom: 'EU' },
  { kind: 'issuers', id: 'south', name: 'South Registry', issuerDid: 'did:web:south.example', issuerFrom: 'US' },
  { kind: 'verifiers', id: 'gate', name: 'Gate', verifierDid: 'did:web:gate.example' },
  { kind: 'schemas', id: 'person', title: 'Person', description: 'Who somebody is.', dataPoints: POINTS },
  {
    kind: 'schemas',
    id: 'degree',
    title: 'Degree',
    description: 'What was learnt.',
    dataPoints: [{ name: 'level', type: 'string' }],
  },
  {
    ...{ kind: 'credentials', id: 'adult', name: 'Adult', category: 'identity', issuerId: 'north', schemaId: 'person' },
    ...counted(30, 40, 50),
    accessibleStart: '2026-01-01T00:00:00Z',
    accessibleEnd: '2036-01-01T00:00:00Z',
    expirationDuration: 86_400,
    createdAt: '2025-05-05T05:05:05Z',
  },
  {
    ...{ kind: 'credentials', id: 'citizen', name: 'Citizen', category: 'identity' },
    ...{ issuerId: 'south', schemaId: 'person' },
    ...counted(20, 21, 22),
  },
  {
    ...{ kind: 'credentials', id: 'bachelor', name: 'Bachelor', category: 'education' },
    ...{ issuerId: 'north', schemaId: 'degree' },
  },
  {
    ...{ kind: 'programs', id: 'door', name: 'Door', description: 'Lets adults in.', verifierId: 'gate' },
    acceptedCredentials: [
      { credentialId: 'adult', verificationConditions: ['age >= 18', 'address.country in ["CH", "DE"]'] },
      { credentialId: 'bachelor', verificationConditions: [] },
    ],
    pricingModel: 'free',
    createdAt: '2025-06-06T06:06:06Z',
    ...counted(0, 0, 7),
  },
  {
    ...{ kind: 'programs', id: 'desk', name: 'Desk', description: 'Counts citizens.', verifierId: 'gate' },
    acceptedCredentials: [{ credentialId: 'citizen', verificationConditions: ['age < 150'] }],
    pricingModel: 'per verification',
  },
];

/** The result of one line of an import. */
export interface ImportAnswer {
  line: number;
  kind: string | null;
  id: string | null;
  result: string;
  message?: string;
}

/** Sends lines (objects, or text as it is) through POST /v1/admin/import. */
export async function importInto(gateway: TestGateway, lines: readonly unknown[]): Promise<ImportAnswer[]> {
  const body = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const answer = await gateway.admin('POST', '/v1/admin/import', {
    body,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  if (answer.status !== 200) throw new Error(`the import answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  const text = String(answer.body);
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ImportAnswer);
}
