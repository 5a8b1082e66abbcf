// The status that the facts of an issuance amount to: the table of contract §19. And rows from before anchoring.
import { describe, expect, it } from 'vitest';
import { QUEUED_FOR_ANCHORS } from '../../src/issuance/anchoring.js';
import { issuanceModels } from '../../src/issuance/models.js';
import { vcStatusOf } from '../../src/issuance/types.js';
import { leaseModels } from '../../src/store/lease.js';
import { updateRows } from '../../src/store/row-updates.js';
import { openDatabase } from '../support/database.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const BEFORE = new Date('2026-05-01T00:00:00Z');
const FRESH = { revokedAt: null, removedAt: null, anchoredAt: null, anchorBatch: undefined, expiresAt: null };
const BATCHED = { ...FRESH, anchorBatch: 'b' };
const ANCHORED = { ...BATCHED, anchoredAt: BEFORE };
const revoked = { revokedAt: BEFORE };
const expired = { expiresAt: BEFORE };

describe('The status of an issuance', () => {
  it.each([
    ['issued, in no batch', FRESH, 'WAIT_ONCHAIN'],
    ['revoked, in no batch', { ...FRESH, ...revoked }, 'REMOVE'],
    ['expired, in no batch', { ...FRESH, ...expired }, 'EXPIRE'],
    ['in a batch', BATCHED, 'WAIT_ONCHAIN'],
    ['in a batch, revoked', { ...BATCHED, ...revoked }, 'WAIT_REMOVE'],
    ['in a batch, expired', { ...BATCHED, ...expired }, 'EXPIRE'],
    ['batch confirmed', ANCHORED, 'ONCHAIN'],
    ['batch confirmed, revoked', { ...ANCHORED, ...revoked }, 'WAIT_REMOVE'],
    ['batch confirmed, expired', { ...ANCHORED, ...expired }, 'EXPIRE'],
    ['batch confirmed, expired and revoked', { ...ANCHORED, ...expired, ...revoked }, 'WAIT_REMOVE'],
    ['removal confirmed', { ...ANCHORED, ...revoked, removedAt: BEFORE }, 'REMOVE'],
    ['removal confirmed, expired', { ...ANCHORED, ...expired, ...revoked, removedAt: BEFORE }, 'REMOVE'],
  ])('the status of an issuance: %s', (_, row, status) => {
    expect(vcStatusOf(row, NOW)).toBe(status);
  });
});

it('live issuances from before anchoring wait for it after migrate, oldest first, and ended ones do not', async () => {
  const database = await openDatabase((connection) => [issuanceModels(connection), leaseModels(connection)]);
  const { issuances } = issuanceModels(database.connection);
  const row = (name: string, more: object) => ({
    ...{ _id: name, coreClaimHash: name, revocationNonce: name, statusListId: name, statusListIndex: 1 },
    ...{ holderId: name, credentialId: 'c', createdAt: BEFORE, revokedAt: null, expiredAt: null, anchoredAt: null },
    ...more,
  });
  await issuances.collection.insertMany([
    row('live', {}),
    row('revoked', revoked),
    row('expired', { expiredAt: BEFORE }),
  ] as never);
  await updateRows(database.connection, [QUEUED_FOR_ANCHORS]);
  await issuances.collection.insertOne(row('later', {}) as never);
  await updateRows(database.connection, [QUEUED_FOR_ANCHORS]);
  const waiting = await issuances.find({ toAnchor: { $exists: true } }).lean();
  expect(waiting.map(({ _id, toAnchor }) => [_id, toAnchor])).toEqual([['live', BEFORE]]);
  await database.close();
});
