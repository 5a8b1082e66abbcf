// Data files that were cut or changed: in every case, the engine prints one sentence that says what to do. It never
// starts with an empty store, prints a stack trace or crashes. DAMAGE_ROUNDS sets the number of changed bytes.
import { type ChildProcess, fork } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineCheck, engineCompact, engineDump } from '../../../src/engine/maintenance/index.js';
import { serveEngine } from '../../../src/engine/server.js';
import { startEngineAt } from '../maintenance/folder.js';
import { ended, tempFolder } from '../support.js';

const ROUNDS = Number(process.env.DAMAGE_ROUNDS ?? 3);
const PAGE = 4096;
const DOCUMENTS = 500;
const SENTENCE = /^The data in \S+ is damaged \(.+\): restore a backup, or save what can be read with `engine dump`\.$/;
const MAIN = fileURLToPath(new URL('../../../dist/engine/main.js', import.meta.url));

/** What LMDB itself writes to stderr when it cannot find a page. */
const LMDB_NOTE = /^page \d+ not found error\n/gm;

/** The result of starting the engine: that it listens, or what it printed before it ended. */
interface Start {
  listened: boolean;
  signal: NodeJS.Signals | null;
  said: string;
}

async function start(dataDir: string): Promise<Start> {
  const child: ChildProcess = fork(MAIN, ['--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const listened = await new Promise<boolean>((resolve) => {
    child.stdout?.once('data', () => resolve(true));
    child.once('close', () => resolve(false));
  });
  await ended(child, 'SIGTERM');
  return { listened, signal: listened ? null : child.signalCode, said: said.trim() };
}

const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: Error) => error.message,
  );

describe('a damaged data file', () => {
  let sound: { path: string; remove(): void };
  const copies: { path: string; remove(): void }[] = [];
  beforeAll(async () => {
    sound = await startEngineAt(async (db) => {
      await db.collection('c').createIndexes([{ key: { n: 1 } }, { key: { tags: 1, n: -1 } }]);
      await db
        .collection('c')
        .insertMany(
          Array.from({ length: DOCUMENTS }, (_, n) => ({ n, tags: [n % 7, 'x'], text: `document ${n} `.repeat(8) })),
        );
      await db.collection('c').deleteMany({ n: { $lt: 100 } });
    });
  });
  afterAll(() => {
    for (const each of [sound, ...copies]) each.remove();
  });

  const copy = (): { dataDir: string; file: string } => {
    const folder = tempFolder();
    copies.push(folder);
    cpSync(sound.path, folder.path, { recursive: true, filter: (name) => !name.endsWith('.sock') });
    return { dataDir: folder.path, file: join(folder.path, 'data.mdb') };
  };
  const flip = (file: string, at: number, bits: number): void => {
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(at) ^ bits, at);
    writeFileSync(file, bytes);
  };
  const size = (): number => readFileSync(join(sound.path, 'data.mdb')).length;

  const cuts: [string, () => number][] = [
    ['nothing', () => 0],
    ['a byte', () => 1],
    ['a page', () => PAGE],
    ['its first pages', () => 2 * PAGE],
    ['a half', () => Math.floor(size() / 2)],
    ['all but the last page', () => size() - PAGE],
    ['all but the last byte', () => size() - 1],
  ];
  it.each(cuts)('a data file that was cut to %s is refused by the engine and by check', async (_, length) => {
    const { dataDir, file } = copy();
    truncateSync(file, length());
    await expect(serveEngine({ dataDir })).rejects.toThrow(SENTENCE);
    await expect(engineCheck(dataDir)).rejects.toThrow(SENTENCE);
    expect(readFileSync(file)).toHaveLength(length());
  });

  it('a data file that is missing is refused', async () => {
    const { dataDir, file } = copy();
    rmSync(file);
    await expect(serveEngine({ dataDir })).rejects.toThrow(/data\.mdb is missing/);
    await expect(engineCheck(dataDir)).rejects.toThrow(SENTENCE);
  });

  it('a data file that was replaced by an older one is refused', async () => {
    const { dataDir, file } = copy();
    const older = readFileSync(file);
    const engine = await serveEngine({ dataDir });
    const client = await MongoClient.connect(engine.uri);
    await client.db('test').collection('c').insertOne({ n: 1 });
    await client.close();
    await engine.close();
    writeFileSync(file, older);
    await expect(serveEngine({ dataDir })).rejects.toThrow(/older than what was written last/);
  });

  it('a data file with any byte changed is refused after an orderly stop', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { dataDir, file } = copy();
      flip(file, Math.floor(size() * fraction(round)), 1 << (round % 8));
      await expect(serveEngine({ dataDir })).rejects.toThrow(SENTENCE);
    }
    const { dataDir, file } = copy();
    flip(file, PAGE + 100, 1);
    await expect(engineCheck(dataDir)).rejects.toThrow(SENTENCE);
  });

  it(
    'a data file with any byte changed after a kill crashes no process, and is reported in at most one sentence',
    async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { dataDir, file } = copy();
        rmSync(join(dataDir, 'data.check'));
        // Even rounds change the head of a page, which describes its nodes; odd rounds change bytes all over the page.
        const page = Math.floor((size() / PAGE) * fraction(round)) * PAGE;
        for (let bit = 0; bit < 4; bit += 1) flip(file, page + (round % 2 ? 1000 * bit : 8 + bit * 5), 0xff);
        const checked = await outcome(engineCheck(dataDir));
        expect(checked, `check of round ${round}`).toMatch(checked === 'done' ? /done/ : SENTENCE);
        const { listened, signal, said } = await start(dataDir);
        expect(signal, `start of round ${round}: ${said}`).toBeNull();
        if (!listened) expect(said.replace(LMDB_NOTE, '')).toMatch(SENTENCE);
      }
    },
    ROUNDS * 200_000,
  );

  it('a data file whose list of free pages was changed after a kill is refused', async () => {
    const { dataDir, file } = copy();
    rmSync(join(dataDir, 'data.check'));
    const head = freeListPage(readFileSync(file)) * PAGE;
    for (const at of [8, 13, 18, 23]) flip(file, head + at, 0xff);
    const { signal, said } = await start(dataDir);
    expect([signal, said]).toEqual([null, expect.stringMatching(SENTENCE)]);
  });

  it('a document changed after a kill is reported where it is read; check finds it, dump leaves it out', async () => {
    const { dataDir, file } = copy();
    rmSync(join(dataDir, 'data.check'));
    const bytes = readFileSync(file);
    const text = 'document 234';
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes.write('x', at + 3);
    writeFileSync(file, bytes);
    const engine = await serveEngine({ dataDir });
    const client = await MongoClient.connect(engine.uri);
    const rows = client.db('test').collection('c');
    await expect(rows.findOne({ n: 234 })).rejects.toMatchObject({ code: 366 });
    expect(await rows.findOne({ n: 235 })).toMatchObject({ n: 235 });
    await client.close();
    await engine.close();
    const [report] = await engineCheck(dataDir);
    expect(report?.faults[0]).toMatch(/record \d+ cannot be read/);
    const out = tempFolder();
    copies.push(out);
    expect(await engineDump(dataDir, join(out.path, 'dump'))).toEqual([
      { ns: 'test.c', documents: DOCUMENTS - 101, damaged: 1 },
    ]);
  });

  it('no dump, compaction or restart damages a sound data file', async () => {
    const { dataDir } = copy();
    const out = tempFolder();
    copies.push(out);
    await engineDump(dataDir, join(out.path, 'dump'));
    await engineCompact(dataDir);
    expect((await start(dataDir)).listened).toBe(true);
    expect((await start(dataDir)).listened).toBe(true);
    expect((await engineCheck(dataDir)).flatMap(({ faults }) => faults)).toEqual([]);
  });
});

/** Where lmdb's newer meta page says that the tree of free pages begins. */
function freeListPage(bytes: Buffer): number {
  const [TRANSACTION_AT, FREE_ROOT_AT] = [152, 88];
  const isSecond = bytes.readBigUInt64LE(PAGE + TRANSACTION_AT) > bytes.readBigUInt64LE(TRANSACTION_AT);
  return Number(bytes.readBigUInt64LE((isSecond ? PAGE : 0) + FREE_ROOT_AT));
}

/** A number from 0 to 1: another one for each round, and the same in every run. */
function fraction(round: number): number {
  return (round * 0.618034 + 0.35) % 1;
}

it('files of a data folder can be read only by their owner, whoever may read the folder', async () => {
  const folder = tempFolder();
  chmodSync(folder.path, 0o755);
  await (await serveEngine({ dataDir: folder.path })).close();
  for (const file of ['data.mdb', 'data.mdb-lock'])
    expect(statSync(join(folder.path, file)).mode & 0o077, file).toBe(0);
  folder.remove();
});
