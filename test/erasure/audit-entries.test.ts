// What an erasure takes from the audit log: of the erased holder's entries the members that refer to it, and of nobody else's anything,
// whatever they name.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.js';
import { auditEraser, type EmptiedEntry } from '../../src/audit/forget.js';
import { type AuditModels, type AuditRow, auditModels } from '../../src/audit/models.js';
import { verifyChain } from '../../src/audit/verify.js';
import { loadConfig } from '../../src/base/config/config.js';
import { verifyAudit } from '../../src/cli/audit.js';
import {
  AUDIT_OPERATIONS,
  type AuditOperation,
  HOLDER_MEMBERS,
  type HolderMembers,
} from '../../src/store/audit-operations.js';
import type { ErasedHolder } from '../../src/store/erasure-port.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
let models: AuditModels;
let holder: ErasedHolder;
beforeEach(async () => {
  gateway = await startGateway();
  models = auditModels(gateway.app.connection);
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const names = {
    holderId: randomUUID(),
    did: 'did:core:id:testnet:gone',
    addresses: [address],
    email: 'x@example.org',
  };
  holder = { ...names, at: new Date(), keyName: 'ops', erasureId: randomUUID() };
});
afterEach(() => gateway.close());

const OPERATIONS = Object.keys(AUDIT_OPERATIONS) as AuditOperation[];
/** Entries of `verification.start` have not shown the holder for long. */
const REFERRING = (Object.entries(HOLDER_MEMBERS) as [AuditOperation, HolderMembers][]).filter(
  ([operation]) => operation !== 'verification.start',
);

type State = Record<string, unknown>;

/** Writes an entry, as a domain does. */
async function record(operation: AuditOperation, subject: string, state: State): Promise<void> {
  const { connection } = gateway.app;
  const log = new AuditLog(models, Date.now);
  const caller = { kind: 'operator', keyName: 'ops', role: 'all' } as const;
  const entry = { operation, subject, outcome: 'updated', before: state, after: state } as const;
  await connection.transaction((session) => log.record(caller, [entry], session));
}

/** A state with every member that the operation shows; nested ones of a filter too. */
const stateOf = (operation: AuditOperation, value: unknown): State =>
  Object.fromEntries(
    AUDIT_OPERATIONS[operation].map((name) => [name, name === 'filter' ? { credentialId: value } : value]),
  );

const erase = () => {
  const log = new AuditLog(models, Date.now);
  return auditEraser(gateway.app.connection, log.record).erase(holder, new AbortController().signal);
};
const sealed = () => expect.poll(() => models.entries.countDocuments({ pending: true })).toBe(0);
const rowsOf = (filter: object) => models.entries.find(filter).sort({ seq: 1 }).lean<AuditRow[]>();
const verify = () => verifyChain(gateway.app.connection);

describe('An entry', () => {
  it('an entry that refers to no holder does not change, although it is named after one', async () => {
    const others = OPERATIONS.filter((operation) => HOLDER_MEMBERS[operation] === undefined);
    expect(others.length).toBeGreaterThan(20);
    for (const operation of others)
      for (const name of [holder.holderId, holder.did, ...holder.addresses, `${holder.holderId} and more`])
        await record(operation, name, stateOf(operation, name));
    await sealed();
    const before = await rowsOf({});
    await erase();
    expect(await rowsOf({})).toEqual(before);
  });

  it.each(REFERRING)(
    'an entry of %s loses what refers to the holder, and nothing else',
    async (operation, { by, also = [] }) => {
      const paths = [...by, ...also];
      const has = (path: string) => paths.some((each) => each === path || each.startsWith(`${path}.`));
      for (const path of by) {
        const { filter, ...state } = stateOf(operation, 'x');
        const nested = path.startsWith('filter.') ? { [path.slice('filter.'.length)]: holder.holderId } : {};
        const own = path === 'subject' || path.includes('.') ? {} : { [path]: holder.holderId.toUpperCase() };
        const given = { ...state, ...own, ...(filter ? { filter: { ...(filter as object), ...nested } } : {}) };
        await record(operation, path === 'subject' ? holder.holderId : 'its subject', given);
      }
      const count = by.length;
      await sealed();
      await erase();
      await sealed();
      const rows = await rowsOf({ operation });
      expect(rows.map(({ erased }) => erased)).toEqual(Array.from({ length: count }, () => true));
      for (const row of rows) {
        expect(row.subject).toBe(paths.includes('subject') ? 'erased' : 'its subject');
        for (const state of [row.before, row.after].map((text): State => JSON.parse(text ?? 'null')))
          for (const [name, value] of Object.entries(state).filter(([key]) => key !== 'filter'))
            expect([name, value]).toEqual([name, has(name) ? 'erased' : 'x']);
        expect(row.after).not.toContain(holder.holderId);
      }
      if (operation === 'revocation.start') expect(rows[0]?.after).toContain('"credentialId":"x"');
      const report = await verify();
      expect(report.broken).toBeUndefined();
      const { erasureId } = holder;
      expect(report.erased).toEqual(rows.map(({ _id: id, seq }) => ({ seq, id, erasureId })));
    },
  );

  it('entries of another holder, and entries whose other members name this one, do not change', async () => {
    await record('package.store', 'a', { holderId: 'somebody', externalId: holder.holderId });
    await record('issuance.issue', holder.holderId, { holderId: 'somebody', credentialId: holder.holderId });
    await record('revocation.start', holder.did, { filter: { credentialId: holder.did, userId: 'somebody' } });
    await record('core-id.claim', holder.did, { holderId: 'somebody', name: holder.did });
    await erase();
    expect(await models.entries.countDocuments({ erased: true })).toBe(0);
    expect(await models.entries.countDocuments({ operation: 'audit.erase' })).toBe(0);
  });
});

it('an entry of an earlier version loses the members that it has', async () => {
  await record('verification.start', 'v', { programId: 'p' });
  const after = JSON.stringify({ programId: 'p', holderId: holder.holderId });
  await models.entries.updateMany({}, { $set: { after } });
  await erase();
  expect(await rowsOf({ operation: 'verification.start' })).toMatchObject([
    { subject: 'v', after: JSON.stringify({ programId: 'p', holderId: 'erased' }), erased: true },
  ]);
});

it('audit verify still accepts entries that an earlier version emptied as a whole', async () => {
  await record('partner.put', 'p', { name: 'A' });
  await sealed();
  const [row] = await rowsOf({});
  await record('audit.erase', holder.erasureId, { entries: [row?._id] });
  await sealed();
  await models.entries.updateOne({ _id: row?._id }, { subject: 'erased', before: null, after: null, erased: true });
  const report = await verify();
  expect([report.broken, report.erased.length]).toEqual([undefined, 1]);
  await models.entries.updateOne({ _id: row?._id }, { after: '{"name":"B"}' });
  expect((await verify()).broken).toEqual({ seq: 1, what: 'changed' });
});

describe('The list of emptied entries', () => {
  it('the list of emptied entries fits into its entries, however many there are, and a repeated erasure adds nothing', async () => {
    for (let at = 0; at < 65; at += 1) await record('holder.name', holder.holderId, { partnerId: 'p' });
    await erase();
    await erase();
    await sealed();
    const lists = (await rowsOf({ operation: 'audit.erase' })).map(
      ({ after }) => (JSON.parse(after ?? '{}') as { entries: EmptiedEntry[] }).entries.length,
    );
    expect(lists).toEqual([30, 30, 5]);
    const report = await verify();
    expect([report.broken, report.erased.length]).toEqual([undefined, 65]);
  });

  it('audit verify prints which entries were emptied, and by which erasure', async () => {
    await record('holder.name', holder.holderId, { partnerId: 'p' });
    await record('partner.put', 'p', { name: holder.holderId });
    await record('holder.key', holder.holderId, { did: holder.did, publicKey: 'k' });
    await sealed();
    const first = holder;
    await erase();
    holder = { ...holder, holderId: randomUUID(), erasureId: randomUUID() };
    await record('holder.name', holder.holderId, { partnerId: 'p' });
    await erase();
    await sealed();
    const name = gateway.app.connection.name;
    const config = loadConfig({ MONGODB_URI: databaseUri(name), DATA_DIR: '/nowhere' });
    const { lines, sound, json } = await verifyAudit(config, {});
    expect(sound).toBe(true);
    expect(lines).toContain(`emptied by erasure ${first.erasureId}: 1, 3`);
    expect(lines).toContain(`emptied by erasure ${holder.erasureId}: 5`);
    expect(json).toMatchObject({ erased: [{ seq: 1, erasureId: first.erasureId }, { seq: 3 }, { seq: 5 }] });
  });

  it.each<[string, (row: AuditRow, models: AuditModels) => Promise<unknown>]>([
    ['says more again', ({ _id }, { entries }) => entries.updateOne({ _id }, { after: '{"partnerId":"q"}' })],
    ['is of somebody else', ({ _id }, { entries }) => entries.updateOne({ _id }, { actor: 'operator other' })],
    ['was done at another time', ({ _id }, { entries }) => entries.updateOne({ _id }, { createdAt: new Date(0) })],
    ['is no longer marked', ({ _id }, { entries }) => entries.updateOne({ _id }, { $unset: { erased: 1 } })],
    ['is blank as a whole', ({ _id }, { entries }) => entries.updateOne({ _id }, { before: null, after: null })],
    ['is of another operation', ({ _id }, { entries }) => entries.updateOne({ _id }, { operation: 'partner.put' })],
  ])('audit verify does not accept an emptied entry that %s', async (_what, forge) => {
    await record('holder.name', holder.holderId, { partnerId: 'p' });
    await sealed();
    await erase();
    await sealed();
    expect((await verify()).broken).toBeUndefined();
    const [row] = await rowsOf({ operation: 'holder.name' });
    await forge(row as AuditRow, models);
    expect((await verify()).broken).toEqual({ seq: 1, what: 'changed' });
  });

  it('the list of emptied entries cannot contain its own entry, nor one of an operation that refers to no holder', async () => {
    await record('partner.put', 'p', { name: 'A' });
    await sealed();
    const [row] = await rowsOf({});
    const blank = { subject: 'erased', before: null, after: null, erased: true };
    await models.entries.updateOne(
      { _id: row?._id },
      { ...blank, operation: 'audit.erase', after: JSON.stringify({ entries: [row?._id] }) },
    );
    expect((await verify()).broken).toEqual({ seq: 1, what: 'changed' });
  });
});
