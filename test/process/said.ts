// What a gateway says of its problems, and the problems that only a check can be given in a test: a worker of proofs that does not start, a key
// set that is too old, a batch that nobody takes.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { Problems } from '../../src/base/monitoring/problems.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { batchCheck } from '../../src/issuance/batches/batch-check.js';
import { batchModels } from '../../src/issuance/batches/models.js';
import { ZkThreads } from '../../src/keys/zk/threads.js';
import { type Part, partsOf } from '../../src/operators/parts.js';
import { PartnerKeySets } from '../../src/partners/key-sets.js';
import { countedServer, keyPair, partnerRow } from '../partners/support.js';
import { openDatabase } from '../support/database.js';
import type { TestGateway } from '../support/gateway.js';

/** What readiness, the metric and the parts say. */
interface Said {
  /** Undefined: 503. */
  problems: readonly string[] | undefined;
  metrics: string;
  parts: readonly Pick<Part, 'part' | 'state' | 'sentence' | 'todo'>[];
}
export type View = () => Promise<Said>;

export const saidBy =
  ({ rest, admin }: Pick<TestGateway, 'rest' | 'admin'>): View =>
  async () => {
    const ready = await rest('GET', '/health/ready');
    return {
      problems: ready.status === 503 ? undefined : (ready.body.problems ?? []),
      metrics: String((await admin('GET', '/metrics')).body),
      parts: (await admin('GET', '/v1/admin/parts')).body.items,
    };
  };

const saidOf =
  (problems: Problems): View =>
  async () => ({
    problems: problems.list(),
    metrics: Object.entries(problems.states)
      .map(([part, state]) => `gateway_problem{part="${part}"} ${state}`)
      .join('\n'),
    parts: partsOf(problems.open),
  });
const newProblems = () => new Problems({ warn: () => {}, info: () => {} });

/** How each of them comes to be. */
export const BY_CHECK = {
  'proofs-no-worker': async () => {
    const problems = newProblems();
    const file = join(mkdtempSync(join(tmpdir(), 'zk-')), 'worker.mjs');
    writeFileSync(file, 'throw new Error("no room for the module");');
    const threads = new ZkThreads({ max: 1, problems, file: pathToFileURL(file) });
    onTestFinished(() => threads.close());
    await expect(threads.ask(() => ({ ask: 'key' }))).rejects.toMatchObject({ code: 'VERIFIER_BUSY' });
    return saidOf(problems);
  },
  'key-set-stale': async () => {
    const problems = newProblems();
    const { jwk } = keyPair('p256', 'k1');
    let isAway = false;
    const host = await countedServer((_request, response) => {
      if (isAway) response.writeHead(503).end();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
    });
    onTestFinished(() => host.close());
    const ages = { now: 0 };
    const fetch = guardedFetch({ allowLoopback: true });
    const sets = new PartnerKeySets({ fetch, problems, clock: () => ages.now });
    const set = sets.of(partnerRow({ jwksUri: `${host.url}/jwks.json` }));
    await set.version();
    [isAway, ages.now] = [true, 600_000];
    await set.version();
    return saidOf(problems);
  },
  'batch-stands': async () => {
    const database = await openDatabase(batchModels);
    onTestFinished(() => database.close());
    const { jobs } = batchModels(database.connection);
    await jobs.collection.insertOne({ _id: 'b' as never, state: 'running', worker: '', takenAt: new Date(0) } as never);
    const ages = { now: 0 };
    const { kinds, look } = batchCheck({ jobs }, () => ages.now);
    const problems = newProblems();
    problems.replace(kinds, await look());
    expect(problems.list()).toEqual([]);
    ages.now = 600_000;
    problems.replace(kinds, await look());
    return saidOf(problems);
  },
};
