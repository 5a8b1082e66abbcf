// Nothing that can be written is changed without a trace: each member of each body is shown by the audit log, a secret as changed; what is
// not shown is listed here with its reason.
import { isInputObjectType, getNamedType } from 'graphql';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditRow, auditModels } from '../../src/audit/models.js';
import { OPERATIONS } from '../../src/compose/domains.js';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { AUDIT_OPERATIONS, type AuditOperation } from '../../src/store/audit-operations.js';
import { importInto } from '../catalog/admin/admin-fixture.js';
import {
  type Body,
  bodyOf,
  importMembers,
  putMembers,
  putReferences,
  WRITTEN_KINDS,
  type WrittenKind,
  withChange,
} from '../contract/member-changes.js';
import type { TestGateway } from '../support/gateway.js';
import { startMembership } from '../support/membership.js';

let gateway: TestGateway;
beforeAll(async () => {
  ({ gateway } = await startMembership());
  await putReferences(gateway);
});
afterAll(() => gateway?.close());

const put = async (kind: WrittenKind, id: string, body: Body): Promise<void> => {
  expect((await gateway.admin('PUT', `/v1/admin/${kind}/${id}`, { body })).status).toBe(200);
};
const imported = async (kind: WrittenKind, id: string, body: Body): Promise<void> => {
  expect(await importInto(gateway, [{ kind, id, ...body }])).toMatchObject([
    { result: expect.not.stringMatching('refused') },
  ]);
};
const DOORS = [
  ['PUT', put, putMembers],
  ['import', imported, importMembers],
] as const;

/** Changed by every write. */
const OF_EVERY_ENTRY = new Set(['etag', 'live']);
/** Members that are no content, or that only a PUT replaces. */
const UNCHANGED = new Set(['PUT credentials.force', 'import credentials.force', 'import schemas.jsonSchema']);

const CASES = DOORS.flatMap(([door, write, membersOf]) =>
  WRITTEN_KINDS.flatMap((kind) =>
    membersOf(kind)
      .map((member) => ({ name: `${door} ${kind}.${member}`, kind, member, write }))
      .filter(({ name }) => !UNCHANGED.has(name)),
  ),
);

/** The members that an entry shows with another value after the write than before. */
function shownBy({ before, after }: AuditRow): string[] {
  const [old, fresh] = [JSON.parse(before ?? '{}'), JSON.parse(after ?? '{}')];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter((name) => !OF_EVERY_ENTRY.has(name));
  return names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]));
}

describe('The audit log shows a change of', () => {
  it.each(CASES)('$name', async ({ kind, member, write }) => {
    const id = kind === 'partners' ? randomUUID() : `x${randomUUID().slice(0, 8)}`;
    await write(kind, id, bodyOf(kind, id));
    await write(kind, id, withChange(kind, member, id));
    const rows = await auditModels(gateway.app.connection).entries.find({ subject: id }).lean<AuditRow[]>();
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['created', 'updated']);
    const updated = rows.find(({ outcome }) => outcome === 'updated') as AuditRow;
    expect(shownBy(updated)).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain('canary-key');
  });

  it('the audit log shows the API key of an issuer as changed, whether it is added, replaced or removed', async () => {
    const body = { ...bodyOf('issuers', 'keyed'), availableVcUrl: 'https://issuer.example/vc' };
    const steps: [Body, unknown][] = [
      [{ apiKey: 'canary-one' }, 'changed'],
      [{ name: 'B' }, undefined],
      [{ name: 'B', apiKey: 'canary-two' }, 'changed'],
      [{ name: 'B', availableVcUrl: 'https://other.example/vc' }, 'changed'],
      [{ name: 'B', apiKey: 'canary-one' }, 'changed'],
      [{ name: 'B', apiKey: null }, 'changed'],
    ];
    for (const [step, expected] of steps) {
      await put('issuers', 'keyed', { ...body, ...step });
      const [newest] = await auditModels(gateway.app.connection)
        .entries.find({ subject: 'keyed' })
        .sort({ createdAt: -1 })
        .limit(1)
        .lean<AuditRow[]>();
      expect(JSON.parse(newest?.after ?? '{}').apiKey).toBe(expected);
      expect(JSON.parse(newest?.before ?? '{}').apiKey).toBeUndefined();
      expect(JSON.stringify(newest)).not.toContain('canary');
    }
  });
});

type Shown = `${AuditOperation} ${string}`;
type Reason = { not: string };
const EVERYWHERE: Readonly<Record<string, Reason>> = {
  ifMatch: { not: 'a condition of the write' },
  ifNoneMatch: { not: 'a condition of the write' },
  idempotencyKey: { not: 'of the request' },
};
const HOLDER: Reason = { not: 'tells who the holder is' };
const ENVELOPE = 'package.store packageHash';

/** Inputs of mutations whose bodies are not PUT by an operator: where each member is shown, or why not. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, Shown | Reason>>>> = {
  cancelBatch: { jobId: 'batch.cancel subject' },
  claimCoreId: { name: 'core-id.claim name' },
  confirmRevocation: { token: { not: 'a secret that is used up; revocation.start shows its filter' } },
  createOperatorKey: { name: 'operator-key.create subject', role: 'operator-key.create role' },
  createOffer: {
    ...{ credentialId: 'offer.create credentialId', issuerDid: 'offer.create issuerDid', email: HOLDER },
    ...{ expiresAt: 'offer.create credentialExpiresAt', onDuplicate: 'offer.create onDuplicate' },
    ...{ userId: 'offer.create holderId', credentialSubject: { not: 'plaintext' } },
    ...{ expiresIn: 'offer.create expiresAt', txCode: 'offer.create txCode' },
  },
  deleteWebhook: { webhookId: 'webhook.delete subject' },
  eraseHolder: { did: HOLDER, email: HOLDER, userId: HOLDER },
  giveUpChainJob: { jobId: 'chain-job.give-up subject' },
  initializeUser: { email: HOLDER, partnerUserId: HOLDER },
  issueOnBehalf: {
    ...{ credentialId: 'issuance.issue credentialId', issuerDid: 'issuance.issue issuerDid', email: HOLDER },
    ...{ expiresAt: 'issuance.issue expiresAt', onDuplicate: 'issuance.issue replaced' },
    ...{ userId: 'issuance.issue holderId', credentialSubject: { not: 'plaintext' } },
  },
  issueOnBehalfBatch: {
    ...{ credentialId: 'batch.create credentialId', issuerDid: 'batch.create issuerDid', rows: 'batch.create total' },
    ...{ dryRun: 'batch.create dryRun', onDuplicate: 'batch.create onDuplicate' },
  },
  pauseWebhook: { webhookId: 'webhook.pause subject' },
  recordCoreId: {
    ...{ coreId: 'core-id.record id', holderId: 'core-id.record subject' },
    errorMessage: { not: 'told to the holder and not stored' },
  },
  redeliverWebhook: { deliveryId: 'webhook.redeliver subject', eventId: 'webhook.redeliver webhookId' },
  registerWebhook: {
    ...{ description: 'webhook.register description', types: 'webhook.register types' },
    // The rest of the address may be a secret.
    url: 'webhook.register origin',
    allowDuplicate: { not: 'stored: it only says that the address may be registered already' },
  },
  resetMfa: { did: HOLDER, email: HOLDER, userId: 'holder.reset-mfa subject' },
  resumeWebhook: { webhookId: 'webhook.resume subject' },
  retryBatch: { jobId: 'batch.retry subject' },
  retryChainJob: { jobId: 'chain-job.retry subject' },
  revokeCredential: { coreClaimHash: 'issuance.revoke subject', nonce: 'issuance.revoke subject' },
  rotateOperatorKey: { name: 'operator-key.rotate subject' },
  rotateWebhookSecret: { webhookId: 'webhook.rotate subject' },
  answerFromWallet: {
    verificationId: 'verification.wallet-answer subject',
    response: { not: 'what the holder disclosed' },
    origin: { not: 'one of the origins of the verification' },
    responseCode: { not: 'a secret that is used up' },
  },
  startVerification: {
    ...{ programId: 'verification.start programId', userId: HOLDER, redirectUrl: HOLDER },
    wallet: 'verification.start wallet',
  },
  storeCredential: {
    ...{ authTag: ENVELOPE, data: ENVELOPE, encryptedKey: ENVELOPE, iv: ENVELOPE, claim: ENVELOPE },
    ...{
      externalId: 'package.store externalId',
      holderDid: 'package.store holderId',
      schemaId: 'package.store schemaId',
    },
    ...{ proofType: 'package.store proofType', expiresAt: 'package.store expiresAt' },
  },
  testWebhook: { webhookId: 'webhook.test webhookId' },
  withdrawOffer: { offerId: 'offer.withdraw subject' },
  withdrawOperatorKey: { name: 'operator-key.withdraw subject' },
};

/** Written by holders, or nothing: test/audit/writes.test.ts has each with its reason. */
const NOT_AUDITED = new Set([
  ...OPERATIONS.filter(({ audit }) => audit === 'holder' || audit === 'none').map(({ name }) => name),
  ...['initialize', 'login', 'logout'],
  ...['previewRevocation', 'setSigningKey', 'updateSessionConfig', 'verifyLogin'],
]);

it('every member of every other input is listed by its operation, or has a reason', () => {
  const mutations = Object.values(buildGatewaySchema({ catalogEnabled: true }).getMutationType()?.getFields() ?? {});
  // The bodies of PUTs are written above, and a retired entry has its id.
  const audited = mutations.filter(
    ({ name }) => !NOT_AUDITED.has(name) && !/^(put|retire)[A-Z](?!atch|hain)/.test(name),
  );
  const missing = audited.flatMap(({ name, args }) => {
    const inputs = args.map(({ type }) => getNamedType(type)).filter(isInputObjectType);
    const members = inputs.flatMap((input) => Object.keys(input.getFields()));
    return members
      .filter((member) => SHOWN[name]?.[member] === undefined && !EVERYWHERE[member])
      .map((m) => `${name}.${m}`);
  });
  expect(missing).toEqual([]);
  const unlisted = Object.values(SHOWN)
    .flatMap((members) => Object.values(members))
    .filter((shown) => typeof shown === 'string')
    .filter((shown) => {
      const [operation = '', member = ''] = shown.split(' ');
      const listed: readonly string[] = AUDIT_OPERATIONS[operation as AuditOperation];
      return member !== 'subject' && !listed.includes(member);
    });
  expect(unlisted).toEqual([]);
});
