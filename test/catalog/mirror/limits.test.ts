// A network that is huge or grows without end: what one source may add and cost is limited.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIRROR_LIMITS, type MirrorLimits } from '../../../src/catalog/mirror/limits.js';
import type { MirrorSummary } from '../../../src/catalog/mirror/mirror.js';
import { ALL, type MirrorWorld, messages, openMirrorWorld } from './mirror-world.js';
import { envelope, send } from './source-server.js';

let world: MirrorWorld;
beforeEach(async () => {
  world = await openMirrorWorld();
});
afterEach(() => world.close());

describe('A source that is huge', () => {
  const limit = (limits: Partial<MirrorLimits>): void => {
    world.mirrors = world.newMirrors(undefined, limits);
  };
  const full = (kind: string, most: number) => `One network may have ${most} ${kind} here, and this one has them.`;
  /** A source whose list of schemas never ends: pages of this many records with new ids, whatever is asked for. */
  const listSchemas = (ofPage: number): void =>
    world.source.interfere((path, response) => {
      if (!path.startsWith('/v1/catalog/schemas?')) return false;
      const page = Number(new URLSearchParams(path.split('?')[1]).get('page'));
      const ids = Array.from({ length: ofPage }, (_, at) => `schema-${(page - 1) * ofPage + at}`);
      send(response, 200, envelope({ pages: 1e9, records: ids.map((schemaId) => ({ schemaId })) }));
      return true;
    });
  const asked = (what: string): number => world.source.asked.filter((path) => path.includes(what)).length;

  it('a source has limits that a whole run respects', () => {
    const { pages, entries, requests } = MIRROR_LIMITS;
    expect(pages * 100).toBe(entries);
    expect(requests).toBeGreaterThan(3 * entries + 2 * pages);
  });

  it('pages of a source have 100 records', async () => {
    listSchemas(5_000);
    limit({ pages: 1 });
    const { lines } = await world.run();
    expect(messages(lines)).toEqual([
      'schemas/ Page 1: has 5000 records: only the first 100 are read.',
      'schemas/ Page 1: is the last that is read.',
    ]);
    expect(asked('/schemas/')).toBe(100);
  });

  it('a limited number of pages of a list is read, also if each has one record or the run is continued', async () => {
    listSchemas(1);
    limit({ pages: 5 });
    const { lines, summary } = await world.run();
    expect(messages(lines)[0]).toBe('schemas/ Page 5: is the last that is read.');
    expect(summary.result).toBe('done');
    expect(asked('/schemas?')).toBe(5);
  });

  it('a source may have a limited number of entries of a kind, over all runs, and these stay up to date', async () => {
    limit({ entries: 8 });
    const first = await world.run();
    expect(await world.liveIds('schemas')).toHaveLength(8);
    expect(await world.liveIds('credentials')).toHaveLength(8);
    expect(messages(first.lines)).toContain(`schemas/schema-9 ${full('schemas', 8)}`);
    // The next run has new ids, and an old entry that has changed.
    world.source.network.schemas.delete('schema-0');
    world.source.network.credentials.delete('credential-0');
    world.source.network.programs.delete('program-0');
    Object.assign(world.source.network.schemas.get('schema-1') ?? {}, { title: 'Renamed' });
    const { lines, summary } = await world.run();
    expect(messages(lines)).toContain(`programs/program-8 ${full('programs', 8)}`);
    expect(summary).toMatchObject({ created: 0, updated: 1 });
    expect(await world.liveIds('programs')).toHaveLength(8);
  });

  it('a source may have a limited number of issuers and verifiers, which come with credentials and programs', async () => {
    for (const [at, credential] of [...world.source.network.credentials.values()].entries())
      credential.issuer = { issuerId: `i-${at}`, name: 'I', issuerDid: `did:web:i-${at}.example`, issuerFrom: 'x' };
    limit({ entries: 5 });
    await world.run();
    expect(await world.store.models.issuers.countDocuments()).toBe(5);
    limit({ entries: 0 });
    const { lines, summary } = await world.run({ full: true });
    expect(summary.created).toBe(0);
    expect(messages(lines).length).toBeGreaterThan(0);
  });

  it('a source is not asked for accepted credentials that exceed its limit', async () => {
    for (const program of world.source.network.programs.values())
      program.acceptedCredentials = Array.from({ length: 50 }, (_, at) => ({
        credentialId: `${program.programId}-c-${at}`,
        verificationConditions: [],
      }));
    limit({ entries: 12 });
    await world.run();
    expect(asked('/credentials/')).toBe(12);
  });

  it('a source can change a schema a limited number of times', async () => {
    limit({ versions: 3 });
    const schema = world.source.network.schemas.get('schema-2');
    const lines: string[] = [];
    for (let change = 1; change <= 4; change += 1) {
      await world.run();
      Object.assign(schema ?? {}, { title: `Change ${change}` });
      lines.push(...messages((await world.run()).lines));
    }
    const sentence = 'schemas/schema-2 It has 3 versions here, the most that are taken over.';
    expect(new Set(lines)).toEqual(new Set([sentence]));
    expect((await world.store.models.schemas.findById('schema-2').lean())?.version).toBe(3);
  });

  it.each<[string, Partial<MirrorLimits>, string]>([
    ['requests', { requests: 24 }, 'The run has made 24 requests.'],
    ['time', { runMs: 1_800_000 }, 'The run has taken 30 minutes.'],
  ])('a run ends at its limit of %s, and the next runs continue it', async (what, limits, message) => {
    const refused = new Set<string>();
    world.source.interfere((path, response) => {
      if (what !== 'time' || !path.includes('/credentials/') || refused.has(path)) return false;
      refused.add(path);
      send(response, 429, {}, { 'retry-after': '200' });
      return true;
    });
    limit(limits);
    expect((await world.run()).summary).toMatchObject({ result: 'stopped', message });
    let last: MirrorSummary | undefined;
    for (let runs = 0; runs < 10 && last?.result !== 'done'; runs += 1) last = (await world.run()).summary;
    expect(last).toMatchObject({ result: 'done', continued: true, created: ALL });
  });
});
