// The parts of a gateway: each problem is in the metric, in health, in what operators see and in the runbook, and nowhere only in one of them.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PART_NAMES, PROBLEMS, type ProblemKind } from '../../../src/base/monitoring/problem-kinds.js';
import { Problems, textOf } from '../../../src/base/monitoring/problems.js';
import { clockProblem, heapProblems } from '../../../src/compose/part-checks.js';
import { partsOf } from '../../../src/operators/parts.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const kinds = Object.keys(PROBLEMS) as ProblemKind[];
const runbook = readFileSync('docs/runbook.md', 'utf8');

describe('each kind of problem', () => {
  it.each(kinds)('%s is in the metric, in health and among the parts, until it is over', (kind) => {
    const logged: object[] = [];
    const problems = new Problems({ warn: (facts: object) => logged.push(facts), info: () => {} } as never, () => 7);
    const { part, state, sentence, todo } = PROBLEMS[kind];
    problems.raise(kind, { of: 'one' });
    expect(problems.list()).toEqual([sentence]);
    expect(problems.states[part]).toBe(state === 'bad' ? 2 : 1);
    expect(partsOf(problems.open).filter((one) => one.state !== 'ok')).toEqual([
      { part, state, since: new Date(7), sentence, todo },
    ]);
    expect(logged).toEqual([{ part, problem: kind, of: 'one' }]);
    problems.clear(kind, 'one');
    expect([problems.list(), problems.states[part]]).toEqual([[], 0]);
  });

  it.each(kinds)('%s has its sentence in the runbook, below its part', (kind) => {
    const { part, sentence } = PROBLEMS[kind];
    const section = runbook.split(/^## /m).find((text) => text.startsWith(`${part}\n`));
    expect(section?.replaceAll(/\s+/g, ' ')).toContain(sentence);
  });
});

it('every part has a kind of problem, and is shown while it works', () => {
  expect(new Set(Object.values(PROBLEMS).map(({ part }) => part))).toEqual(new Set(PART_NAMES));
  expect(partsOf([]).map(({ part, state }) => `${part} ${state}`)).toEqual(PART_NAMES.map((part) => `${part} ok`));
});

it('the reason of an error is named, with what to do about it, and nothing else of the error', () => {
  const problems = new Problems({ warn: () => {}, info: () => {} });
  const secret = Object.assign(new Error('secret'), { code: 'CERT_HAS_EXPIRED' });
  problems.raise('mail-not-taken', { cause: new Error('outer', { cause: secret }) });
  expect(partsOf(problems.open).find(({ part }) => part === 'mail')).toMatchObject({
    sentence: `${PROBLEMS['mail-not-taken'].sentence} The reason: the server's certificate has expired (CERT_HAS_EXPIRED).`,
    todo: "Renew that server's certificate.",
  });
});

it('two clocks are apart only if the time that reading them took does not explain it', () => {
  expect(clockProblem(10_000, 10_000, 50_000)).toEqual([]);
  expect(clockProblem(5_000, 10_000, 10_100)).toEqual([{ kind: 'clock-drifts', note: '5 s.' }]);
  expect(clockProblem(100_000, 10_000, 10_100)).toEqual([{ kind: 'clock-apart', note: '90 s.' }]);
});

it('a heap is almost full from nine tenths on', () => {
  // V8's limit contains 48 MiB for the young generation, as of a process with --max-old-space-size=50.
  const MIB = 1024 * 1024;
  const heap = (used: number) => heapProblems({ used_heap_size: used * MIB, heap_size_limit: 98 * MIB });
  expect(heap(44)).toEqual([]);
  expect(heap(46)).toEqual([{ kind: 'heap-small' }]);
});

describe('a gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const parts = async () =>
    (await gateway.admin('GET', '/v1/admin/parts')).body.items as { part: string; state: string }[];
  const problemsOf = async () => (await parts()).filter(({ state }) => state !== 'ok');

  it('a certificate that has ended is found by the gateway, shown by health, metrics and parts, and over once it is replaced', async () => {
    const certificates = gateway.app.connection.collection('certificates');
    const row = { owner: 'somebody', chain: ['x'], subject: 'CN=x', sha256: 'x', ofSandbox: false };
    const dates = { notBefore: new Date(0), notAfter: new Date(1) };
    await certificates.insertOne({ _id: 'old' as never, ...row, ...dates });
    const { sentence, todo } = PROBLEMS['certificate-ended'];
    await eventually(async () =>
      expect(await problemsOf()).toEqual([
        { part: 'certificates', state: 'bad', since: expect.any(String), sentence, todo },
      ]),
    );
    expect((await gateway.rest('GET', '/health/ready')).body.problems).toEqual([sentence]);
    expect(String((await gateway.admin('GET', '/metrics')).body)).toContain('gateway_problem{part="certificates"} 2');
    await certificates.deleteOne({ _id: 'old' as never });
    await eventually(async () => expect(await problemsOf()).toEqual([]));
  });

  it('a problem that another process has reported is among the parts, and one of an unknown kind is not', async () => {
    const processes = gateway.app.connection.collection('processes');
    const expiresAt = new Date(Date.now() + 86_400_000);
    const problems = [
      { kind: 'mail-not-taken', since: 1_000, note: '' },
      { kind: 'of a later version', since: 1_000, note: '' },
    ];
    await processes.insertOne({ _id: 'other' as never, expiresAt, problems });
    const { part, state, sentence, todo } = PROBLEMS['mail-not-taken'];
    expect(await problemsOf()).toEqual([{ part, state, since: '1970-01-01T00:00:01.000Z', sentence, todo }]);
    await processes.deleteOne({ _id: 'other' as never });
  });
});

it('a sentence and its note are one text', () => {
  expect(textOf({ kind: 'clock-apart', note: '90 s.' })).toBe(`${PROBLEMS['clock-apart'].sentence} 90 s.`);
});
