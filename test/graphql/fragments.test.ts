// Texts of rows are made once for each row and each set of fields, and belong to the row as it was.
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeLoaders } from '../../src/context.js';
import { makeExecutor, textOf } from '../../src/graphql/executor.js';
import { Fragments, type Texts } from '../../src/graphql/fragments.js';
import { buildGatewaySchema } from '../../src/graphql/schema.js';
import { makeNetwork, writeNetwork } from '../catalog/network.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

describe('The text of a row', () => {
  const row = Object.freeze({ name: 'one' });

  it('is kept for the row itself', () => {
    const texts: Texts = new Map();
    expect(new Fragments(10_000).keep(texts, row, 'text')).toBe('text');
    expect(texts.get(row)).toBe('text');
    expect(texts.get(Object.freeze({ name: 'one' }))).toBeUndefined();
  });

  it('is not kept when the row can be changed', () => {
    const texts: Texts = new Map();
    expect(new Fragments(10_000).keep(texts, { name: 'one' }, 'text')).toBe('text');
    expect(texts.size).toBe(0);
  });

  it('gives way when there is no room, whoever made it', () => {
    const fragments = new Fragments(10_000);
    const [mine, others]: [Texts, Texts] = [new Map(), new Map()];
    for (let at = 0; at < 100; at += 1) {
      fragments.keep(at % 2 ? mine : others, Object.freeze({ at }), 'x'.repeat(1_000));
      expect(mine.size + others.size).toBeLessThan(10);
    }
    expect(mine.size + others.size).toBeGreaterThan(0);
  });
});

describe('An answer that is put together from kept texts', () => {
  let gateway: TestGateway;
  const schema = buildGatewaySchema();
  const fragments = new Fragments(1_000_000);
  const execute = makeExecutor(schema, { kind: 'jit', fragments });
  const page = parse(
    'query ($not: Boolean!) { credentials(first: 5) { nodes { credentialId name category @skip(if: $not) issuer { issuerId name } } } }',
  );

  beforeAll(async () => {
    gateway = await startGateway();
    await writeNetwork(gateway.app.connection, makeNetwork(20, 7));
  }, 60_000);
  afterAll(() => gateway.close());

  async function ask(not = false): Promise<string> {
    const { services } = gateway.app;
    const context = { caller: { kind: 'anonymous' }, requestId: 'r', services, loaders: makeLoaders(services) };
    return textOf(await execute(page, { variables: { not }, context }));
  }

  it('is made of them, shows other fields where they are asked for, and what was written at once', async () => {
    const keep = vi.spyOn(fragments, 'keep');
    const first = await ask();
    await ask();
    expect(keep).not.toHaveBeenCalled();
    await ask();
    expect(first).toContain('"category"');
    const made = keep.mock.calls.length;
    expect(made).toBeGreaterThan(5);
    expect(await ask()).toBe(first);
    // The page itself is made for each request.
    expect(keep.mock.calls.length - made).toBeLessThan(3);
    expect(await ask(true)).not.toContain('"category"');
    const { data } = JSON.parse(first) as { data: { credentials: { nodes: [{ credentialId: string }] } } };
    const [{ credentialId }] = data.credentials.nodes;
    const credentials = gateway.app.connection.collection<{ _id: string }>('credentials');
    await credentials.updateOne({ _id: credentialId }, { $set: { name: 'Another "name"' } });
    await vi.waitFor(async () => expect(await ask()).toContain('"name":"Another \\"name\\""'));
  });
});
