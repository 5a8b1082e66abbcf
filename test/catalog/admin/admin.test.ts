// Versions of schemas, retired entries and their return, and counts that always equal a recount.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DomainError } from '../../../src/base/errors.js';
import { POINTS, SMALL_CATALOG } from './admin-fixture.js';
import { type AdminStore, OPERATOR, openAdminStore, recountedState, storedState } from './admin-store.js';

let store: AdminStore;
beforeAll(async () => {
  store = await openAdminStore();
  await store.load(SMALL_CATALOG);
});
afterAll(() => store?.close());

const SCHEMA = { title: 'Person', description: 'Who somebody is.', dataPoints: POINTS };
const CREDENTIAL = { name: 'Extra', category: 'identity', issuerId: 'north', schemaId: 'person' };

describe('a schema', () => {
  it('a schema with other content becomes the next version, and the earlier version can still be read', async () => {
    const wider = { ...SCHEMA, dataPoints: [...POINTS, { ...POINTS[0], name: 'height' }] };
    expect((await store.admin.put(OPERATOR, 'schemas', 'person', wider)).record.version).toBe(2);
    const again = await store.admin.put(OPERATOR, 'schemas', 'person', wider);
    expect([again.result, again.record.version]).toEqual(['unchanged', 2]);
    const versions = await store.models.schemaVersions.find({ schemaId: 'person' }).sort({ version: 1 }).lean();
    expect(versions.map(({ version, dataPoints }) => [version, dataPoints.length])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  it('a schema with a new version keeps the old one for existing credentials, and new credentials use the new one', async () => {
    const { record } = await store.admin.put(OPERATOR, 'credentials', 'newer', CREDENTIAL);
    expect(record.schemaVersion).toBe(2);
    const renamed = await store.admin.put(OPERATOR, 'credentials', 'citizen', {
      ...CREDENTIAL,
      name: 'Citizen of now',
      issuerId: 'south',
    });
    expect(renamed.record.schemaVersion).toBe(1);
  });

  it('conditions are checked at the schema version that the credential has', async () => {
    const program = (credentialId: string, condition = 'height > 180') => ({
      name: 'Tall',
      description: '',
      verifierId: 'gate',
      pricingModel: 'free',
      acceptedCredentials: [{ credentialId, verificationConditions: [condition] }],
    });
    expect((await store.admin.put(OPERATOR, 'programs', 'tall', program('newer'))).result).toBe('created');
    await expect(store.admin.put(OPERATOR, 'programs', 'tall', program('adult'))).rejects.toThrow('height');
    await expect(
      store.admin.put(OPERATOR, 'programs', 'tall', program('adult', 'address.country = 2020-01-01')),
    ).rejects.toThrow('not the date 2020-01-01');
    const row = await store.models.programs.findById('tall').lean();
    expect(row?.acceptedCredentials[0]?.conditions).toEqual([{ field: 'height', operator: '$gt', values: [180] }]);
  });
});

describe('a retired entry', () => {
  it('a retired entry is restored by PUT as a created one, with its first time of creation', async () => {
    const made = await store.admin.put(OPERATOR, 'credentials', 'phoenix', CREDENTIAL);
    await store.admin.retire(OPERATOR, 'credentials', 'phoenix');
    await expect(store.admin.get(OPERATOR, 'credentials', 'phoenix')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const back = await store.admin.put(OPERATOR, 'credentials', 'phoenix', CREDENTIAL);
    expect(back.result).toBe('created');
    expect(back.record.createdAt).toEqual(made.record.createdAt);
  });

  it('a retired credential stays in the programs that accept it but no longer counts, and cannot be added to others', async () => {
    const accepted = (ids: string[]) => ids.map((credentialId) => ({ credentialId, verificationConditions: [] }));
    const program = { name: 'Both', description: '', verifierId: 'gate', pricingModel: 'free' };
    const both = { ...program, acceptedCredentials: accepted(['phoenix', 'bachelor']) };
    await store.admin.put(OPERATOR, 'programs', 'both', both);
    await store.admin.retire(OPERATOR, 'credentials', 'phoenix');
    const count = async () => (await store.models.programs.findById('both').lean())?.credentialCount;
    expect(await count()).toBe(1);
    const renamed = { ...both, name: 'Both of them' };
    expect((await store.admin.put(OPERATOR, 'programs', 'both', renamed)).result).toBe('updated');
    expect(await count()).toBe(1);
    await expect(
      store.admin.put(OPERATOR, 'programs', 'another', { ...program, acceptedCredentials: accepted(['phoenix']) }),
    ).rejects.toThrow('names no credential');
    await store.admin.put(OPERATOR, 'credentials', 'phoenix', CREDENTIAL);
    expect(await count()).toBe(2);
  });
});

describe('writes at the same time', () => {
  it('concurrent writes that change the same issuer, schema and totals all count', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `parallel-${at}`);
    await Promise.all(ids.map((id) => store.admin.put(OPERATOR, 'credentials', id, CREDENTIAL)));
    expect(await storedState(store.models)).toEqual(await recountedState(store.models));
  });

  it('concurrent writes of one new entry make one entry', async () => {
    const body = { name: 'One', verifierDid: 'did:web:one.example' };
    const puts = await Promise.all([1, 2, 3].map(() => store.admin.put(OPERATOR, 'verifiers', 'one', body)));
    expect(puts.map(({ result }) => result).sort()).toEqual(['created', 'unchanged', 'unchanged']);
  });

  it('concurrent writes of one DID assign it to one entry, and the refusals name that entry', async () => {
    const body = { name: 'Wanted', verifierDid: 'did:web:wanted.example' };
    const ids = ['w-1', 'w-2', 'w-3', 'w-4'];
    const outcomes = await Promise.allSettled(ids.map((id) => store.admin.put(OPERATOR, 'verifiers', id, body)));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.map(({ code }) => code)).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT']);
    for (const { message } of refused) expect(message).toMatch(/already belongs to the verifier w-\d/);
  });

  it('concurrent writes never leave a credential on a retired issuer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const issuerId = `racer-${round}`;
      const issuer = { name: 'R', issuerDid: `did:web:racer-${round}.example`, issuerFrom: 'EU' };
      await store.admin.put(OPERATOR, 'issuers', issuerId, issuer);
      const outcomes = await Promise.allSettled([
        store.admin.put(OPERATOR, 'credentials', `raced-${round}`, { ...CREDENTIAL, issuerId }),
        store.admin.retire(OPERATOR, 'issuers', issuerId),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});

describe('an issuer', () => {
  const issuer = {
    kind: 'issuers',
    id: 'summed',
    name: 'Summed',
    issuerDid: 'did:web:summed.example',
    issuerFrom: 'EU',
  };
  const line = { kind: 'credentials', ...CREDENTIAL, issuerId: 'summed' };
  const counted = (holderCount: number) => ({
    traction: { holderCount, issuanceCount: 2 * holderCount, verificationCount: 1 },
  });
  const traction = async () => (await store.admin.get(OPERATOR, 'issuers', 'summed')).traction;

  it('an issuer has the sum of what was imported for its credentials, also after one is retired', async () => {
    await store.load([issuer, { ...line, id: 'sum-1', ...counted(3) }, { ...line, id: 'sum-2', ...counted(4) }]);
    expect(await traction()).toEqual({ holderCount: 7, issuanceCount: 14, verificationCount: 2 });
    await store.load([{ ...line, id: 'sum-1', ...counted(5) }]);
    await store.admin.retire(OPERATOR, 'credentials', 'sum-2');
    expect(await traction()).toEqual({ holderCount: 9, issuanceCount: 18, verificationCount: 2 });
  });

  it('an issuer has the counts that an import sets for it, regardless of its credentials', async () => {
    await store.load([
      { ...issuer, ...counted(6) },
      { ...line, id: 'sum-3', ...counted(100) },
    ]);
    expect(await traction()).toEqual({ holderCount: 6, issuanceCount: 12, verificationCount: 1 });
  });

  it('an issuer keeps imported counts when an operator writes it', async () => {
    const { kind: _, id: __, ...body } = issuer;
    await store.admin.put(OPERATOR, 'issuers', 'summed', { ...body, name: 'Summed up' });
    expect(await traction()).toEqual({ holderCount: 6, issuanceCount: 12, verificationCount: 1 });
  });
});

describe('whatever happens', () => {
  const id = fc.integer({ min: 0, max: 3 }).map(String);
  const traction = fc.option(
    fc.record({ holderCount: fc.nat(9), issuanceCount: fc.nat(9), verificationCount: fc.nat(9) }),
    { nil: undefined },
  );
  const name = fc.constantFrom('A', 'B');
  const accepted = fc
    .uniqueArray(id, { maxLength: 3 })
    .map((ids) => ids.map((credentialId) => ({ credentialId, verificationConditions: [] })));
  const line = fc.oneof(
    // An issuer with imported counts keeps them for good, so only one issuer may get any.
    fc.record({ kind: fc.constant('issuers'), id, name, traction }).map(({ traction, ...body }) => ({
      ...body,
      ...(body.id === '3' && traction ? { traction } : {}),
      issuerDid: `did:web:i${body.id}.example`,
      issuerFrom: 'EU',
    })),
    fc.record({ kind: fc.constant('verifiers'), id, name }).map((body) => ({
      ...body,
      verifierDid: `did:web:v${body.id}.example`,
    })),
    fc
      .record({ kind: fc.constant('schemas'), id, title: name })
      .map((body) => ({ ...body, description: '', dataPoints: [{ name: 'a', type: 'string' }] })),
    fc.record({ kind: fc.constant('credentials'), id, name, category: name, issuerId: id, schemaId: id, traction }),
    fc
      .record({ kind: fc.constant('programs'), id, name, verifierId: id, acceptedCredentials: accepted, traction })
      .map((body) => ({ ...body, description: '', pricingModel: 'free' })),
  );
  const kind = fc.constantFrom('issuers', 'verifiers', 'schemas', 'credentials', 'programs');
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => ({ lines })) },
    { weight: 1, arbitrary: fc.record({ kind, id }).map((retire) => ({ retire })) },
  );

  it('counters, totals and edges always equal a recount of the rows', async () => {
    const fresh = await openAdminStore();
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          for (const one of steps) {
            if ('lines' in one) await fresh.load(one.lines);
            else await fresh.admin.retire(OPERATOR, one.retire.kind, one.retire.id).catch(refusalsOnly);
          }
          expect(await storedState(fresh.models)).toEqual(await recountedState(fresh.models));
        }),
        { numRuns: 12 },
      );
    } finally {
      await fresh.close();
    }
  });

  function refusalsOnly(thrown: unknown): void {
    if (!(thrown instanceof DomainError) || !['NOT_FOUND', 'CONFLICT'].includes(thrown.code)) throw thrown;
  }
});
