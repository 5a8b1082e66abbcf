// A network can only write its own entries: it puts nothing under an issuer, a schema, a verifier or a credential of
// this gateway or of another network.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MirrorLine, Mirrors } from '../../../src/catalog/mirror/mirror.js';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import { ProcessLease } from '../../../src/store/process-lease.js';
import { processLeaseModels } from '../../../src/store/process-rows.js';
import { type AdminStore, OPERATOR, openAdminStore } from '../admin/admin-store.js';
import { networkOf, type SourceServer, startSource } from './source-server.js';

const POINT = { name: 'level', title: 'Level', type: 'integer', isRequired: true, description: '' };

let store: AdminStore;
let sources: SourceServer[];

beforeEach(async () => {
  store = await openAdminStore();
  sources = [await startSource(networkOf(3)), await startSource(networkOf(1))];
});
afterEach(async () => {
  for (const source of sources) await source.close();
  await store.close();
});

/** Mirrors a source. Returns each refusal once. */
async function refusalsOf({ base }: SourceServer, request: object = {}): Promise<string[]> {
  const outboundPolicy = { allowLoopback: true };
  const mirrors = new Mirrors({
    models: store.models,
    admin: store.admin,
    processLease: new ProcessLease({ models: processLeaseModels(store.models.mirrors.db) }),
    outboundPolicy,
    fetch: guardedFetch(outboundPolicy),
    clock: Date.now,
  });
  const lines: MirrorLine[] = [];
  for await (const line of mirrors.run(OPERATOR, { from: base, ...request })) lines.push(line);
  const refused = lines.flatMap((line) => ('id' in line && line.result === 'refused' ? [line] : []));
  return [...new Set(refused.map(({ kind, id, message }) => `${kind}/${id} ${message}`))];
}

const entryOf = (kind: 'credentials' | 'programs', id: string) =>
  store.models[kind].collection.findOne({ _id: id as never });

it('an issuer of this gateway gets no credentials or counts from another network', async () => {
  const issuer = {
    kind: 'issuers',
    id: 'issuer-0',
    name: 'Ours',
    issuerFrom: 'here',
    issuerDid: 'did:web:ours.example',
  };
  await store.load([issuer]);
  expect(await refusalsOf(sources[0] as SourceServer)).toEqual([
    'issuers/issuer-0 The id belongs to an entry of this gateway, which a mirror does not replace.',
    'credentials/credential-0 "issuerId" names issuer-0, which belongs to this gateway.',
    'programs/program-0 "acceptedCredentials[0].credentialId" names no credential: credential-0.',
  ]);
  expect(await entryOf('credentials', 'credential-0')).toBeNull();
  expect(await store.models.issuers.findById('issuer-0').lean()).toMatchObject({ name: 'Ours', credentialCount: 0 });
});

it('a verifier and a credential of this gateway get no programs from another network', async () => {
  await store.load([
    { kind: 'issuers', id: 'ours', name: 'Ours', issuerFrom: 'here', issuerDid: 'did:web:ours.example' },
    { kind: 'schemas', id: 'ours', title: 'Ours', description: '', dataPoints: [POINT] },
    { kind: 'credentials', id: 'ours', name: 'Ours', category: 'identity', issuerId: 'ours', schemaId: 'ours' },
    { kind: 'verifiers', id: 'ours', name: 'Ours', verifierDid: 'did:web:ours-too.example' },
  ]);
  const [source] = sources as [SourceServer];
  const { programs } = source.network;
  const verifierInfo = { verifierId: 'ours', name: 'Theirs', verifierDid: 'did:web:theirs.example' };
  Object.assign(programs.get('program-1') ?? {}, { verifierInfo });
  Object.assign(programs.get('program-2') ?? {}, { acceptedCredentials: [{ credentialId: 'ours' }] });
  const refusals = await refusalsOf(source);
  expect(refusals).toEqual(
    expect.arrayContaining([
      'programs/program-1 "verifierId" names ours, which belongs to this gateway.',
      'programs/program-2 "acceptedCredentials[0].credentialId" names ours, which belongs to this gateway.',
    ]),
  );
  expect(await entryOf('programs', 'program-1')).toBeNull();
  expect(await store.models.credentials.findById('ours').lean()).toMatchObject({ demandCount: 0 });
});

it('one network adds no entries to those of another, except with overwrite', async () => {
  const [first, second] = sources as [SourceServer, SourceServer];
  const renamed = second.network.credentials.get('credential-0') ?? {};
  const record = second.network.schemas.get('schema-0')?.credentials[0] ?? {};
  for (const entry of [renamed, record]) Object.assign(entry, { credentialId: 'credential-of-second' });
  second.network.credentials.set('credential-of-second', renamed);
  await refusalsOf(first);
  expect(await refusalsOf(second)).toContain(
    `credentials/credential-of-second "issuerId" names issuer-0, which comes from ${first.base}.`,
  );
  expect(await entryOf('credentials', 'credential-of-second')).toBeNull();
  await refusalsOf(second, { overwrite: true });
  expect(await entryOf('credentials', 'credential-of-second')).toMatchObject({ issuerId: 'issuer-0' });
});
