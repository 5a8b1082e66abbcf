// What is cached is true: a write in this process is visible at once, a write of another process as soon as the change
// stream reports it, and without a stream nothing comes from the cache.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { catalogModels } from '../../../src/catalog/rows/models.js';
import { TractionService } from '../../../src/catalog/traction/traction.service.js';
import { makeLoaders } from '../../../src/compose/context.js';
import { Reads } from '../../../src/store/reads.js';
import { eventually, until } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';

describe('A gateway', () => {
  let gateway: TestGateway;
  let other: TestGateway;
  let commands: RequestCommands;

  beforeAll(async () => {
    // Responses are not cached, so a page is made only from the rows of the entity cache.
    gateway = await startGateway({ monitorCommands: true, env: { RESPONSE_CACHE_MB: '0' } });
    other = await startGateway({ env: { MONGODB_URI: databaseUri(gateway.app.connection.name) } });
    const isCatalog = /^(issuers|schemas|schemaVersions|schemaIssuers|credentials|programs|verifiers|catalogTotals)$/;
    commands = requestCommandsOf(gateway, (collection) => isCatalog.test(collection));
    await put('issuers/one', { name: 'One', issuerDid: 'did:example:one', issuerFrom: 'here' });
    await put('verifiers/one', { name: 'One', verifierDid: 'did:example:verifier' });
    const dataPoints = [{ name: 'level', title: 'Level', type: 'integer', isRequired: true, description: '' }];
    await put('schemas/one', { title: 'One', description: 'A schema', dataPoints });
    for (const id of ['a', 'b', 'c']) await putCredential(id);
    await putProgram(['a', 'b']);
    await trusted(gateway);
    await trusted(other);
  });
  afterAll(async () => {
    await other.app.close();
    await gateway.close();
  });

  const put = async (path: string, body: object, at = gateway): Promise<void> => {
    const { status, body: answer } = await at.admin('PUT', `/v1/admin/${path}`, { body });
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
  };
  const putCredential = (id: string, name = `Credential ${id}`, at = gateway): Promise<void> =>
    put(`credentials/${id}`, { name, category: 'x', issuerId: 'one', schemaId: 'one' }, at);
  const putProgram = (ids: string[]): Promise<void> =>
    put('programs/one', {
      name: 'One',
      description: '',
      verifierId: 'one',
      pricingModel: 'free',
      acceptedCredentials: ids.map((credentialId) => ({ credentialId, verificationConditions: ['level >= 1'] })),
    });

  /** Resolves when the change stream is open and has caught up. */
  async function trusted({ app }: TestGateway): Promise<void> {
    await eventually(() => expect(app.services.catalogChanges.trusted).toBe(true));
  }

  /**
   * No change is on its way to the caches, and from here on they are used however busy the machine is: a gateway does
   * not trust a change stream that is late.
   */
  async function calm(): Promise<void> {
    const { catalogChanges, changes } = gateway.app.services;
    const now = Date.now();
    await until(() => Number(changes.asOf) > now);
    const trusted = vi.spyOn(catalogChanges, 'trusted', 'get').mockReturnValue(true);
    onTestFinished(() => trusted.mockRestore());
  }

  const PAGE = `{ credentials(first: 20, orderBy: { field: NAME }) { totalCount nodes {
    name traction { issuanceCount } issuer { name } schema { title issuers { nodes { name } } } dataPoints { name }
    programs(first: 2) { totalCount nodes { name verifier { name } acceptedCredentials { credential { name } } } }
  } } }`;
  const names = async (at = gateway): Promise<string[]> =>
    (await at.gql(PAGE)).data.credentials.nodes.map(({ name }: { name: string }) => name);

  it('a gateway sends no command for a page that is wholly cached', async () => {
    const first = await gateway.gql(PAGE);
    // While the stream is behind, the gateway reads from the store.
    await eventually(async () => {
      await gateway.gql(PAGE);
      expect(await commands.of(() => gateway.gql(PAGE))).toEqual({ result: first, commands: [] });
    });
    expect(first.data.credentials.nodes).toHaveLength(3);
  });

  it('a gateway shows its own writes at once: new, changed, retired and restored entries', async () => {
    expect(await names()).not.toContain('New');
    expect((await gateway.gql('{ credential(credentialId: "new") { name } }')).data.credential).toBeNull();
    await putCredential('new', 'New');
    expect(await names()).toContain('New');
    expect((await gateway.gql('{ credential(credentialId: "new") { name } }')).data.credential.name).toBe('New');
    await putCredential('new', 'Newer');
    expect(await names()).toContain('Newer');
    const { data } = await gateway.gql(PAGE);
    await gateway.admin('DELETE', '/v1/admin/credentials/new');
    expect(await names()).not.toContain('Newer');
    expect((await gateway.gql(PAGE)).data.credentials.totalCount).toBe(data.credentials.totalCount - 1);
    expect((await gateway.gql('{ credential(credentialId: "new") { name } }')).data.credential).toBeNull();
    await putCredential('new', 'New');
    expect(await names()).toContain('New');
    await gateway.admin('DELETE', '/v1/admin/credentials/new');
  });

  it('a gateway shows the other effects of its writes at once: counters, accepted credentials, relation lists', async () => {
    const asked =
      '{ program(programId: "one") { credentialCount acceptedCredentials { credential { credentialId } } } }';
    const program = async () => (await gateway.gql(asked)).data.program;
    const accepted = (ids: string[]) => ({
      credentialCount: ids.length,
      acceptedCredentials: ids.map((credentialId) => ({ credential: { credentialId } })),
    });
    const demand = async () =>
      (
        await gateway.gql(
          '{ credential(credentialId: "c") { traction { demandCount } programs { totalCount nodes { name } } } }',
        )
      ).data.credential;
    expect(await program()).toEqual(accepted(['a', 'b']));
    expect((await demand()).programs.nodes).toEqual([]);
    await putProgram(['a', 'c']);
    expect(await program()).toEqual(accepted(['a', 'c']));
    expect(await demand()).toEqual({
      traction: { demandCount: 1 },
      programs: { totalCount: 1, nodes: [{ name: 'One' }] },
    });
    await gateway.admin('DELETE', '/v1/admin/credentials/c');
    expect(await program()).toEqual(accepted(['a']));
    await putCredential('c');
    expect(await program()).toEqual(accepted(['a', 'c']));
  });

  it('a gateway shows writes of another process as soon as the change stream reports them', async () => {
    await names();
    await putCredential('b', 'Renamed elsewhere', other);
    await expect.poll(() => names()).toContain('Renamed elsewhere');
    await putCredential('d', 'Made elsewhere', other);
    await expect.poll(() => names()).toContain('Made elsewhere');
    await other.admin('DELETE', '/v1/admin/credentials/d');
    await expect.poll(() => names()).not.toContain('Made elsewhere');
  });

  /** Look-ups of lists with this result. */
  async function lookUps(result: 'misses' | 'empty'): Promise<number> {
    const { body } = await gateway.admin('GET', '/metrics');
    return Number(new RegExp(`^gateway_cached_lists\\{result="${result}"\\} (\\d+)$`, 'm').exec(String(body))?.[1]);
  }
  const listMisses = () => lookUps('misses');
  const POPULAR = `{ credentials(first: 20, where: { category: { eq: "x" } }) {
    nodes { credentialId name programs(first: 3) { nodes { name } } } } }`;
  const nameOfA = async (): Promise<string> =>
    (await gateway.gql(POPULAR)).data.credentials.nodes.find(
      ({ credentialId }: { credentialId: string }) => credentialId === 'a',
    ).name;

  it('a gateway keeps the lists that a write does not concern, and reads the changed row alone', async () => {
    await calm();
    await nameOfA();
    const missed = await listMisses();
    await putCredential('a', 'Renamed here');
    const { result, commands: sent } = await commands.of(nameOfA);
    expect([result, sent]).toEqual(['Renamed here', ['find credentials']]);
    await putCredential('a', 'Renamed there', other);
    await expect.poll(nameOfA).toBe('Renamed there');
    expect(await listMisses()).toBe(missed);
    await gateway.gql(PAGE);
    const byName = await listMisses();
    await putCredential('a', 'Credential a');
    await gateway.gql(PAGE);
    expect(await listMisses()).toBe(byName + 1);
  });

  it('a gateway reads no list whose total is 0, if the total is written with each change of the list', async () => {
    const asked = `{ credential(credentialId: "c") { programs { totalCount nodes { name } pageInfo { hasNextPage } } }
      verifier(verifierId: "none") { programs { nodes { name } } } }`;
    await put('verifiers/none', { name: 'None', verifierDid: 'did:example:none' });
    await putProgram(['a', 'b']);
    await calm();
    const programsOfC = async () => (await gateway.gql(asked)).data.credential.programs;
    expect((await programsOfC()).nodes).toEqual([]);
    const known = await lookUps('empty');
    const again = await commands.of(programsOfC);
    expect(again).toEqual({
      result: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } },
      commands: [],
    });
    expect(await lookUps('empty')).toBe(known + 2);
    await putProgram(['a', 'c']);
    expect((await programsOfC()).nodes).toEqual([{ name: 'One' }]);
    await putProgram(['a', 'b']);
    expect((await programsOfC()).nodes).toEqual([]);
  });

  it('a gateway makes a smaller page of related rows from a larger one', async () => {
    const query = (first: number) =>
      `{ credentials { nodes { programs(first: ${first}) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } } } }`;
    await calm();
    await gateway.gql(query(9));
    const smaller = await commands.of(() => gateway.gql(query(4)));
    expect(smaller.commands).toEqual([]);
    expect(smaller.result.data).toEqual((await gateway.gql(query(9))).data);
  });

  it('a gateway shows counted traction, and lists in the order that follows from it', async () => {
    const popular = async () =>
      (await gateway.gql('{ credentials(first: 1) { nodes { credentialId traction { holderCount } } } }')).data
        .credentials.nodes;
    await popular();
    const { connection } = gateway.app;
    const counts = { issuanceCount: 9, holderCount: 9, firstAt: new Date(), lastAt: new Date() };
    const traction = new TractionService(catalogModels(connection));
    await connection.transaction((session) => traction.addToCredentials(new Map([['a', counts]]), session));
    await expect.poll(popular).toEqual([{ credentialId: 'a', traction: { holderCount: 9 } }]);
  });

  it('a gateway records the dependencies of a response', async () => {
    const { services } = gateway.app;
    await calm();
    await gateway.gql(PAGE);
    const reads = new Reads();
    const { catalog } = makeLoaders(services, { reads });
    const page = await catalog.list('credentials', { first: 1, orderBy: { field: 'NAME' } });
    for (const { issuerId } of page.nodes) await catalog.issuers.load(issuerId);
    await catalog.related('credentialPrograms', { id: 'a', total: 1 }, {});
    expect([...reads.keys].sort()).toEqual([
      'catalogTotals:credentials',
      'credentials',
      'credentials.live',
      'credentials.sortName',
      'credentials:a',
      'issuers:one',
      'programs',
      'programs.acceptedCredentials',
      'programs.live',
      'programs.popularity',
      'programs:one',
    ]);
  });

  it('a gateway reads from the store while its change stream is interrupted', async () => {
    await names();
    await gateway.app.services.changes.stop();
    await putCredential('b', 'Renamed in the dark', other);
    expect(await names()).toContain('Renamed in the dark');
    expect((await commands.of(() => names())).commands.length).toBeGreaterThan(0);
  });
});
