// `store copy` as a process that is killed again and again: the next run continues, and the last one finds both sides equal.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { startEngine } from '../../src/engine/index.js';
import { folderOf, runCliProcess } from './run-cli.js';

const KILLS = 20;
/** So many are left to copy when a run begins: more than it copies before it is killed, however late that is on a busy machine. */
const LEFT = 30_000;

async function engineIn(dataDir: string) {
  const engine = await startEngine({ dataDir, port: 0 });
  const client = await new MongoClient(engine.uri).connect();
  onTestFinished(async () => {
    await client.close();
    await engine.close();
  });
  return { uri: engine.uri.replace('/?', '/network?'), db: client.db('network') };
}

async function idsOf(db: Db): Promise<unknown[]> {
  return (
    await db
      .collection('things')
      .find({}, { sort: { _id: 1 }, projection: { _id: 1 } })
      .toArray()
  ).map(({ _id }) => _id);
}

it(`a copy to another engine and back, killed ${KILLS} times, ends equal`, async () => {
  const [near, far] = [await engineIn(join(folderOf(), 'near')), await engineIn(join(folderOf(), 'far'))];
  const things = near.db.collection<{ _id: number; text: string }>('things');
  let written = 0;
  const fill = async (count: number): Promise<void> => {
    for (; written < count; written += 10_000)
      await things.insertMany(
        Array.from({ length: 10_000 }, (_, at) => ({ _id: written + at, text: 'x'.repeat(200) })),
      );
  };
  const args = ['store', 'copy', '--from', near.uri, '--to', far.uri];
  const counts = new Set<number>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await far.db.collection('things').estimatedDocumentCount();
    await fill(before + LEFT);
    const child = spawn(process.execPath, ['dist/cli/main.js', ...args], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    // Killed once it has copied a few batches more, wherever it is then.
    while (child.exitCode === null && (await far.db.collection('things').estimatedDocumentCount()) < before + 1_500)
      await setTimeout(5);
    await setTimeout(kill);
    child.kill('SIGKILL');
    await ended;
    counts.add(await far.db.collection('things').estimatedDocumentCount());
  }
  expect(counts.size).toBe(KILLS);
  expect(await runCliProcess(args)).toMatchObject({ code: 0 });
  expect(await idsOf(far.db)).toEqual(await idsOf(near.db));
  const folder = join(folderOf(), 'back');
  expect(await runCliProcess(['store', 'copy', '--from', far.uri, '--to', folder])).toMatchObject({ code: 0 });
});
