// The texts of rows are made once for each row and each set of fields, and only used for that version of the row.
import { parse } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CatalogLoaders } from '../../../src/catalog/reading/loaders.js';
import { makeLoaders } from '../../../src/compose/context.js';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { frozen, type Mark, markOf } from '../../../src/base/json/escaped-text.js';
import { makeExecutor } from '../../../src/graphql/execution/executor.js';
import { type Basis, RowTextCache, RowTexts } from '../../../src/graphql/execution/row-text-cache.js';
import { textOf } from '../../../src/graphql/execution/written-data.js';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { eventually, until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

describe('The text of a row', () => {
  const cached = (row: object): Mark => markOf(frozen(row)) as Mark;
  const row = cached({ name: 'one' });
  const alone: Basis = { catalogVersion: undefined, variables: '' };
  const textOfRow = (texts: RowTexts, row: Mark, basis = alone) => texts.find(row, basis)?.text ?? undefined;

  /** Looks a row up, and stores its text if it was looked up before. */
  function come(texts: RowTexts, row: Mark, text: string, basis = alone): string | undefined {
    const entry = texts.find(row, basis);
    if (entry) texts.store(entry, text);
    else texts.add(row, basis);
    return textOfRow(texts, row, basis);
  }

  function twice(texts: RowTexts, row: Mark, text: string, basis = alone): string | undefined {
    come(texts, row, text, basis);
    return come(texts, row, text, basis);
  }

  it('the text of a row is cached from the second time on', () => {
    const texts = new RowTexts(new RowTextCache(1_000_000));
    expect(come(texts, row, 'text')).toBeUndefined();
    expect(come(texts, row, 'text')).toBe('text');
    expect(texts.find(cached({ name: 'one' }), alone)).toBeUndefined();
  });

  it('the text of a row is cached for its other dependencies, and replaced by a newer one', () => {
    const texts = new RowTexts(new RowTextCache(1_000_000));
    const [monday, tuesday] = [1, 2];
    for (const age of [monday, tuesday]) {
      expect(twice(texts, row, 'text', { catalogVersion: age, variables: '{"n":1}' })).toBe('text');
      expect(texts.find(row, alone)).toBeUndefined();
      expect(texts.find(row, { catalogVersion: age, variables: '{"n":2}' })).toBeUndefined();
    }
    expect(texts.find(row, { catalogVersion: monday, variables: '{"n":1}' })).toBeUndefined();
  });

  it('a copy of a row, or one that can be changed, has no key, which is counted', () => {
    const cache = new RowTextCache(1_000_000);
    const texts = new RowTexts(cache);
    const whole = frozen({ name: 'one' });
    for (const other of [{ ...whole }, Object.freeze({ ...whole }), { name: 'one' }])
      expect(texts.keyOf(other)).toBeUndefined();
    expect(cache.counts.unmarked).toBe(3);
    expect(texts.keyOf(whole)).toBe(texts.keyOf(whole));
    expect(cache.counts.unmarked).toBe(3);
  });

  const rows = Array.from({ length: 200 }, (_, at) => cached({ at }));

  it('the text of a row is evicted to free memory, unless it was used recently', () => {
    const cache = new RowTextCache(100_000);
    const [mine, others] = [new RowTexts(cache), new RowTexts(cache)];
    twice(mine, row, 'asked for');
    for (const [at, each] of rows.entries()) {
      twice(at % 2 ? mine : others, each, 'x'.repeat(1_000));
      const entry = mine.find(row, alone);
      expect(entry && mine.textOf(entry)).toBe('asked for');
      const held = rows.slice(0, at).filter((one) => textOfRow(mine, one) ?? textOfRow(others, one));
      expect(held.length).toBeLessThan(80);
    }
  });

  it('the text of a row frees its memory when it is replaced, however often', () => {
    const cache = new RowTextCache(100_000);
    const [texts, other] = [new RowTexts(cache), new RowTexts(cache)];
    twice(other, row, 'other');
    for (let at = 0; at < 1_000; at += 1) twice(texts, row, 'x'.repeat(1_000), { catalogVersion: at, variables: '' });
    expect(textOfRow(other, row)).toBe('other');
  });

  it('the text of a row that is too large is not cached, and evicts nothing', () => {
    const texts = new RowTexts(new RowTextCache(100_000));
    twice(texts, row, 'small');
    const [other] = rows;
    if (!other) throw new Error('there is no other row');
    expect(twice(texts, other, 'x'.repeat(50_000))).toBeUndefined();
    expect(texts.find(other, alone)?.text).toBeNull();
    expect(textOfRow(texts, row)).toBe('small');
  });

  it('the text of a row counts with its memory: two bytes per character if one needs two', () => {
    const heldOf = (text: string) => {
      const texts = new RowTexts(new RowTextCache(400_000));
      return rows.filter((each) => twice(texts, each, text)).filter((each) => textOfRow(texts, each)).length;
    };
    expect(heldOf(`${'x'.repeat(4_000)}–`)).toBeLessThan(heldOf('x'.repeat(4_001)) * 0.7);
  });

  it('the texts of most rows are skipped if none is reused before it is evicted', () => {
    const cache = new RowTextCache(100_000);
    const texts = new RowTexts(cache);
    let remembered = 0;
    for (let at = 0; at < 2_000; at += 1) {
      const each = cached({ at });
      texts.add(each, alone);
      if (texts.find(each, alone)) remembered += 1;
    }
    expect(remembered).toBeLessThan(500);
    expect(remembered).toBeGreaterThan(20);
  });
});

describe('An answer that is put together from cached texts', () => {
  let gateway: TestGateway;
  const schema = buildGatewaySchema();
  const cache = new RowTextCache(1_000_000);
  const execute = makeExecutor(schema, { kind: 'compiled', rowTexts: cache });
  const page = parse(`query ($not: Boolean!, $n: Int = 2) { credentials(first: 5) { nodes {
    credentialId name category @skip(if: $not) issuer { issuerId name } programs { nodes { programId name } }
    schema { credentials(first: $n) { nodes { credentialId } } }
  } } }`);

  beforeAll(async () => {
    gateway = await startGateway();
    await writeNetwork(gateway.app.connection, makeNetwork(20, 7));
    const written = Date.now();
    await until(() => Number(gateway.app.services.changes.asOf) > written);
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => gateway.close());

  /** Cached rows can be used although the change stream of a busy machine is behind: nothing is written meanwhile. */
  const trustMemory = () => vi.spyOn(gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true);

  async function ask(variables: { not: boolean; n?: number } = { not: false }): Promise<string> {
    const { services } = gateway.app;
    const loaders = makeLoaders(services);
    const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders };
    return textOf(await execute(page, { variables, context, catalogVersion: () => loaders.catalog.version }));
  }

  const nodesOf = (text: string) =>
    (
      JSON.parse(text) as {
        data: {
          credentials: {
            nodes: {
              credentialId: string;
              issuer: { issuerId: string };
              programs: { nodes: { programId: string }[] };
              schema: { credentials: { nodes: object[] } };
            }[];
          };
        };
      }
    ).data.credentials.nodes;

  it('a response is built from cached texts, with other fields where they are selected', async () => {
    trustMemory();
    const keep = vi.spyOn(RowTexts.prototype, 'store');
    const first = await ask();
    await ask();
    expect(keep).not.toHaveBeenCalled();
    for (const _ of ['met', 'cached']) expect(await ask()).toBe(first);
    expect(first).toContain('"category"');
    const made = keep.mock.calls.length;
    expect(made).toBeGreaterThanOrEqual(5);
    expect(await ask()).toBe(first);
    expect(keep.mock.calls.length).toBe(made);
    expect(await ask({ not: true })).not.toContain('"category"');
    for (let times = 0; times < 6; times += 1) {
      const n = (times >> 1) % 2 ? 1 : 2;
      const lengths = nodesOf(await ask({ not: false, n })).map(({ schema }) => schema.credentials.nodes.length);
      expect(Math.max(...lengths)).toBe(n);
    }
  });

  it('a cached text is shared by all who select the same fields of a row, whatever else they select', async () => {
    trustMemory();
    const { services } = gateway.app;
    const { nodes } = await services.catalog.list('credentials', { first: 20 });
    const document = parse(`query ($id: String!, $big: String!, $n: Int!) {
      credential(credentialId: $id) { issuer { issuerId credentials(first: $n) { nodes { credentialId } } } }
      issuer(issuerId: $big) { name }
    }`);
    const related = vi.spyOn(CatalogLoaders.prototype, 'related');
    const big = 'x'.repeat(1_000);
    for (let times = 0; times < 100; times += 1) {
      const loaders = makeLoaders(services);
      const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders };
      const variables = { id: nodes[times % nodes.length]?.credentialId, big: big + times, n: 2 };
      const result = await execute(document, { variables, context, catalogVersion: () => loaders.catalog.version });
      expect(textOf(result)).toContain('"issuer":{"issuerId"');
    }
    expect(related.mock.calls.length).toBeLessThan(50);
  });

  it('a response from cached texts shows writes at once: to a row, to its relations and to a list of it', async () => {
    const { connection } = gateway.app;
    const rows = (name: string) => connection.collection<{ _id: string }>(name);
    for (let times = 0; times < 6; times += 1) await ask();
    const [credential, ...others] = nodesOf(await ask());
    if (!credential) throw new Error('there is no credential');
    const { credentialId, issuer, programs } = credential;
    await rows('credentials').updateOne({ _id: credentialId }, { $set: { name: 'Another "name"' } });
    await eventually(async () => expect(await ask()).toContain('"name":"Another \\"name\\""'));
    await rows('issuers').updateOne({ _id: issuer.issuerId }, { $set: { name: 'Another issuer' } });
    await eventually(async () => expect(await ask()).toContain('"name":"Another issuer"'));
    const program = [programs, ...others.map((other) => other.programs)].flatMap(({ nodes }) => nodes)[0];
    if (!program) throw new Error('there is no program');
    await rows('programs').updateOne({ _id: program.programId }, { $set: { live: false } });
    await eventually(async () => expect(await ask()).not.toContain(program.programId));
  });
});
