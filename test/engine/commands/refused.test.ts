// Whatever is not implemented is refused with MongoDB's error code.
import { readFileSync } from 'node:fs';
import { EJSON } from 'bson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

const ROW = /^\| (.+?) \| `(\{.*\})` \| (\d+) \|$/gm;
const text = readFileSync(new URL('../../../docs/engine.md', import.meta.url), 'utf8');
const rows = [...text.matchAll(ROW)].map(([, what = '', command = '', code = '']) => ({
  what,
  command,
  code: Number(code),
}));

describe('what the docs say is refused', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
    await at.db.collection('c').insertOne({ a: 1 });
    await at.db.collection('two').createIndex({ a: 1 });
    await at.db.collection('two').createIndex({ a: 1 }, { name: 'sparse', sparse: true });
  });
  afterAll(() => at.close());

  it('the docs list what the engine refuses', () => {
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)('the engine refuses $what with error $code', async ({ command, code }) => {
    await expect(at.db.command(EJSON.parse(command))).rejects.toMatchObject({ code });
  });
});
