// Texts of rows are made once for each row and each set of fields, and belong to the row as it was.
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeLoaders } from '../../src/context.js';
import { makeExecutor, textOf } from '../../src/graphql/executor.js';
import { Fragments, RowTexts } from '../../src/graphql/fragments.js';
import { buildGatewaySchema } from '../../src/graphql/schema.js';
import { makeNetwork, writeNetwork } from '../catalog/network.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

describe('The text of a row', () => {
  const row = Object.freeze({ name: 'one' });
  const alone = { age: undefined, variables: undefined };

  /** Meets a row and keeps its text when it was met before. */
  function give(
    texts: RowTexts,
    fragments: Fragments,
    row: object,
    basis: Parameters<RowTexts['find']>[1],
    text: string,
  ) {
    const kept = texts.find(row, basis);
    if (kept) texts.keep(kept, text, fragments);
    else texts.meet(row, basis, fragments);
    return texts.find(row, basis)?.text;
  }

  it('is kept for the row itself from the second time', () => {
    const [texts, fragments] = [new RowTexts(), new Fragments(10_000)];
    expect(give(texts, fragments, row, alone, 'text')).toBeUndefined();
    expect(give(texts, fragments, row, alone, 'text')).toBe('text');
    expect(texts.find(Object.freeze({ name: 'one' }), alone)).toBeUndefined();
  });

  it('is kept for what else it was made of, and gives way to a newer one', () => {
    const [texts, fragments] = [new RowTexts(), new Fragments(10_000)];
    const [monday, tuesday] = [{}, {}];
    for (const age of [monday, tuesday]) {
      const basis = { age, variables: undefined };
      for (const _ of ['met', 'kept']) give(texts, fragments, row, basis, 'text');
      expect(texts.find(row, basis)?.text).toBe('text');
      expect(texts.find(row, alone)).toBeUndefined();
      expect(texts.find(row, { age, variables: {} })).toBeUndefined();
    }
    expect(texts.find(row, { age: monday, variables: undefined })).toBeUndefined();
    expect(texts.size).toBe(1);
  });

  it('is not kept when the row can be changed', () => {
    const [texts, fragments] = [new RowTexts(), new Fragments(10_000)];
    const open = { name: 'one' };
    for (const _ of ['first', 'second']) expect(give(texts, fragments, open, alone, 'text')).toBeUndefined();
    expect(texts.size).toBe(0);
  });

  it('gives way when there is no room, whoever made it', () => {
    const fragments = new Fragments(10_000);
    const [mine, others] = [new RowTexts(), new RowTexts()];
    for (let at = 0; at < 100; at += 1) {
      const row = Object.freeze({ at });
      for (const _ of ['met', 'kept']) give(at % 2 ? mine : others, fragments, row, alone, 'x'.repeat(1_000));
      expect(mine.size + others.size).toBeLessThan(10);
    }
    expect(mine.size + others.size).toBeGreaterThan(0);
  });

  it('leaves its room to the one that takes its place, however often', () => {
    const fragments = new Fragments(10_000);
    const [texts, other] = [new RowTexts(), new RowTexts()];
    for (const _ of ['met', 'kept']) give(other, fragments, row, alone, 'other');
    for (let at = 0; at < 100; at += 1) {
      const basis = { age: {}, variables: undefined };
      for (const _ of ['met', 'kept']) give(texts, fragments, row, basis, 'x'.repeat(1_000));
    }
    expect(other.find(row, alone)?.text).toBe('other');
  });
});

describe('An answer that is put together from kept texts', () => {
  let gateway: TestGateway;
  const schema = buildGatewaySchema();
  const fragments = new Fragments(1_000_000);
  const execute = makeExecutor(schema, { kind: 'jit', fragments });
  const page = parse(`query ($not: Boolean!, $n: Int = 2) { credentials(first: 5) { nodes {
    credentialId name category @skip(if: $not) issuer { issuerId name } programs { nodes { programId name } }
    schema { credentials(first: $n) { nodes { credentialId } } }
  } } }`);

  beforeAll(async () => {
    gateway = await startGateway();
    await writeNetwork(gateway.app.connection, makeNetwork(20, 7));
  }, 60_000);
  afterAll(() => gateway.close());

  async function ask(variables: { not: boolean; n?: number } = { not: false }): Promise<string> {
    const { services } = gateway.app;
    const loaders = makeLoaders(services);
    const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders };
    return textOf(await execute(page, { variables, context, age: () => loaders.catalog.age }));
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

  it('is made of them, and shows other fields where they are asked for', async () => {
    const keep = vi.spyOn(RowTexts.prototype, 'keep');
    const first = await ask();
    await ask();
    expect(keep).not.toHaveBeenCalled();
    for (const _ of ['met', 'kept']) expect(await ask()).toBe(first);
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

  it('shows what was written at once, to a row, to what hangs on it, and to a list of it', async () => {
    const { connection } = gateway.app;
    const rows = (name: string) => connection.collection<{ _id: string }>(name);
    for (let times = 0; times < 6; times += 1) await ask();
    const [credential, ...others] = nodesOf(await ask());
    if (!credential) throw new Error('there is no credential');
    const { credentialId, issuer, programs } = credential;
    await rows('credentials').updateOne({ _id: credentialId }, { $set: { name: 'Another "name"' } });
    await vi.waitFor(async () => expect(await ask()).toContain('"name":"Another \\"name\\""'));
    await rows('issuers').updateOne({ _id: issuer.issuerId }, { $set: { name: 'Another issuer' } });
    await vi.waitFor(async () => expect(await ask()).toContain('"name":"Another issuer"'));
    const program = [programs, ...others.map((other) => other.programs)].flatMap(({ nodes }) => nodes)[0];
    if (!program) throw new Error('there is no program');
    await rows('programs').updateOne({ _id: program.programId }, { $set: { live: false } });
    await vi.waitFor(async () => expect(await ask()).not.toContain(program.programId));
  });
});
