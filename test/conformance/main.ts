// `npm run conformance [-- --uri mongodb://… --suite crud --grep text --data folder]`: MongoDB's own specification tests through the real
// driver, against the embedded engine or any server. Prints a table by suite; exit code 1 when a suite's share falls below the promise.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BSON, MongoClient } from 'mongodb';
import { driverAdditions } from './driver-additions.js';
import type { TestFile } from './format.js';
import { type Server, skipReason } from './requirements.js';
import { runTest } from './run-test.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The share of applicable tests over these suites together that must pass. */
const PROMISE = 0.97;
const PROMISED = [
  'change-streams',
  'collection-management',
  'crud',
  'index-management',
  'retryable-writes',
  'sessions',
  'transactions',
  'transactions-convenient-api',
];
/** Only something that is broken takes this long. */
const TEST_TIMEOUT_MS = 60_000;

interface Tally {
  passed: number;
  failed: { name: string; why: string }[];
  skipped: Map<string, number>;
}

interface RunningEngine {
  uri: string;
  stop(): Promise<void>;
}

/** Starts the engine in a separate process, with its test commands enabled. */
async function startEngine(): Promise<RunningEngine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'conformance-'));
  const args = [join(ROOT, 'dist/engine/main.js'), '--port', '0', '--data-dir', dataDir, '--test-commands'];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (!child.stdout) throw new Error('the engine has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (!uri) continue;
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(dataDir, { recursive: true, force: true });
    };
    return { uri, stop };
  }
  throw new Error('the engine ended before it printed its address');
}

async function describeServer(client: MongoClient): Promise<Server> {
  const admin = client.db('admin');
  const [build, hello] = await Promise.all([admin.command({ buildInfo: 1 }), admin.command({ hello: 1 })]);
  const topology = hello.msg === 'isdbgrid' ? 'sharded' : hello.setName ? 'replicaset' : 'single';
  const failPoints = await admin.command({ configureFailPoint: 'failCommand', mode: 'off' }).then(
    () => true,
    () => false,
  );
  const auth = client.options.credentials !== undefined;
  return { version: build.version, topology, auth, embedded: build.gitVersion === 'embedded', failPoints };
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${TEST_TIMEOUT_MS} ms`)), TEST_TIMEOUT_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function runFile(
  file: TestFile,
  server: Server,
  uri: string,
  internal: MongoClient,
  tally: Tally,
  grep?: string,
): Promise<void> {
  for (const test of file.tests) {
    const name = `${file.description} | ${test.description}`;
    if (grep && !name.includes(grep)) continue;
    const reason = skipReason(file, test, server);
    if (reason) {
      tally.skipped.set(reason, (tally.skipped.get(reason) ?? 0) + 1);
      continue;
    }
    try {
      await withTimeout(runTest(file, test, uri, internal));
      tally.passed += 1;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      // Also printed at once, because a suite takes minutes when a server does not answer.
      console.error(`failed: ${name}: ${why.slice(0, 200)}`);
      tally.failed.push({ name, why });
    }
  }
}

function report(tallies: Map<string, Tally>): boolean {
  const reasons = new Map<string, number>();
  for (const tally of tallies.values())
    for (const [why, n] of tally.skipped) reasons.set(why, (reasons.get(why) ?? 0) + n);
  console.log('\nLeft out:');
  for (const [why, n] of [...reasons].sort((a, b) => b[1] - a[1])) console.log(`  ${String(n).padStart(4)}  ${why}`);
  if (driverAdditions.size > 0) console.log('\nTaken off what the driver sent:');
  for (const [what, n] of driverAdditions) console.log(`  ${String(n).padStart(4)}  ${what}`);
  console.log(`\n${'suite'.padEnd(28)} passed failed skipped`);
  for (const [suite, { passed, failed, skipped }] of tallies) {
    const left = [...skipped.values()].reduce((sum, n) => sum + n, 0);
    console.log(
      `${suite.padEnd(28)} ${String(passed).padStart(6)} ${String(failed.length).padStart(6)} ${String(left).padStart(7)}`,
    );
  }
  for (const [suite, { failed }] of tallies)
    for (const { name, why } of failed) console.log(`\nFAILED ${suite} | ${name}\n       ${why.slice(0, 400)}`);
  const promised = [...tallies].filter(([suite]) => PROMISED.includes(suite)).map(([, tally]) => tally);
  const passed = promised.reduce((sum, tally) => sum + tally.passed, 0);
  const applicable = passed + promised.reduce((sum, tally) => sum + tally.failed.length, 0);
  const share = applicable === 0 ? 1 : passed / applicable;
  console.log(
    `\n${passed} of ${applicable} applicable tests of the promised suites passed (${(share * 100).toFixed(1)} %, promised ${PROMISE * 100} %)`,
  );
  return share >= PROMISE;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      uri: { type: 'string' },
      suite: { type: 'string', multiple: true },
      grep: { type: 'string' },
      data: { type: 'string' },
    },
  });
  const data = values.data ?? join(ROOT, '../shared/data/mongodb-spec-tests');
  if (!existsSync(data)) {
    console.log(`conformance skipped: the specification tests are not at ${data}; give their folder with --data`);
    return 0;
  }
  const engine = values.uri ? undefined : await startEngine();
  const uri = values.uri ?? engine?.uri ?? '';
  const internal = await new MongoClient(uri).connect();
  const server = await describeServer(internal);
  const tallies = new Map<string, Tally>();
  for (const suite of (values.suite ?? readdirSync(data)).sort()) {
    const tally: Tally = { passed: 0, failed: [], skipped: new Map() };
    tallies.set(suite, tally);
    for (const name of readdirSync(join(data, suite))
      .filter((entry) => entry.endsWith('.json'))
      .sort()) {
      const file = BSON.EJSON.parse(readFileSync(join(data, suite, name), 'utf8'), { relaxed: true }) as TestFile;
      await runFile(file, server, uri, internal, tally, values.grep);
    }
  }
  await internal.close();
  await engine?.stop();
  return report(tallies) ? 0 : 1;
}

process.exitCode = await main();
