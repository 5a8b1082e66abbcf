// The form of requests: the engine refuses what a MongoDB server refuses.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Binary, type Document, Long, Timestamp } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildText } from '../../../src/base/version.js';
import { startTestEngine, type TestEngine } from '../support.js';
import { RawClient } from '../wire/raw-client.js';

const clusterTime = new Timestamp({ t: 1, i: 1 });
const hash = new Binary(Buffer.alloc(20));

const MALFORMED: [string, Document, number][] = [
  ['$clusterTime that is no document', { ping: 1, $clusterTime: 1 }, 14],
  ['$clusterTime without a time', { ping: 1, $clusterTime: {} }, 40414],
  ['$clusterTime with a number as time', { ping: 1, $clusterTime: { clusterTime: 1 } }, 14],
  ['$clusterTime with a text as signature', { ping: 1, $clusterTime: { clusterTime, signature: 'x' } }, 14],
  ['$clusterTime with half a signature', { ping: 1, $clusterTime: { clusterTime, signature: { hash } } }, 40414],
  ['a write concern beside explain', { explain: { find: 'c' }, writeConcern: { w: 1 } }, 72],
  [
    'a write concern inside explain',
    { explain: { delete: 'c', deletes: [{ q: {}, limit: 0 }], writeConcern: { w: 1 } } },
    72,
  ],
  [
    'a write concern inside explain of a pipeline',
    { explain: { aggregate: 'c', pipeline: [], cursor: {}, writeConcern: { w: 1 } } },
    9,
  ],
];

/** A document with this many levels, itself included; the innermost field is `last`. */
function nested(levels: number, last: unknown): Document {
  let inner: Document = { a: last };
  for (let level = 1; level < levels; level++) inner = level % 2 ? { a: [inner.a] } : { a: inner };
  return inner;
}

describe('requests', () => {
  let at: TestEngine;
  let client: RawClient;
  beforeAll(async () => {
    at = await startTestEngine();
    client = new RawClient(at.engine.uri);
  });
  afterAll(async () => {
    client.close();
    await at.close();
  });

  it.each(MALFORMED)('requests with %s are refused', async (_what, command, code) => {
    expect((await client.command(command)).reply).toMatchObject({ ok: 0, code });
  });

  it('requests with the cluster time of another server are accepted', async () => {
    for (const more of [{}, { signature: { hash, keyId: Long.ZERO } }]) {
      const { reply } = await client.command({ ping: 1, $clusterTime: { clusterTime, ...more } });
      expect(reply).toMatchObject({ ok: 1 });
    }
  });

  it('requests may nest documents 180 levels deep, not counting empty ones', async () => {
    const c = at.db.collection('deep');
    for (const last of [1, {}, []]) expect(await c.insertOne(nested(180, last))).toMatchObject({ acknowledged: true });
    await expect(c.insertOne(nested(181, 1))).rejects.toMatchObject({
      code: 15,
      message: 'cannot insert document because it exceeds 180 levels of nesting',
    });
    await expect(c.updateOne({}, { $set: { more: nested(180, 1) } })).rejects.toMatchObject({
      code: 15,
      message: 'Document exceeds maximum nesting depth of 180',
    });
    await c.updateOne({}, { $set: { more: nested(179, 1) } });
    await expect(at.db.command({ ping: 1, comment: nested(200, 1) })).rejects.toMatchObject({ code: 15 });
  });
});

describe('the engine as a command', () => {
  /** What the engine prints for arguments with which it does not start. */
  async function run(...args: string[]): Promise<string> {
    const main = fileURLToPath(new URL('../../../dist/engine/main.js', import.meta.url));
    const child = spawn(process.execPath, [main, ...args]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    return said;
  }

  it('the engine as a command prints its options', async () => {
    const said = await run('--help');
    expect(said).toMatch(/--port N/);
    expect(said).toMatch(/--data-dir FOLDER/);
  });

  it('the engine as a command prints its version and commit, as the gateway does', async () => {
    expect(await run('--version')).toBe(`${buildText()}\n`);
    expect(buildText()).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12}(-dirty)?$/);
  });
});
