// Connections of every kind to a gateway of its own: pipelined requests, both kinds of upgrades, interruptions at any
// point, valid and invalid chunks and headers. `WIRE_CASES=50000 WIRE_SEED=1 npx vitest run
// test/hostile/wire.slow.test.ts` runs more cases.
import { expect, it } from 'vitest';
import { playCases } from '../../bench/hostile/wire.js';
import { wireCase } from '../../bench/hostile/wire-case.js';
import { UNLIMITED } from '../support/gateway.js';
import { scratchFolder, startProcess } from '../support/process.js';
import { printTotal } from '../support/total.js';

const CASES = Number(process.env.WIRE_CASES ?? 300);
const SEED = Number(process.env.WIRE_SEED ?? Math.floor(Math.random() * 1e9));
/** A generous limit: a slow machine is no fault; a server that is silent for long is one (wire-client.ts). */
const LIMIT_MS = 600_000 + CASES * 100;

it(
  'A gateway answers every whole request in order and stays, whatever a connection brings',
  async ({ task }) => {
    const gateway = await startProcess({ DATA_DIR: scratchFolder(), LOG_LEVEL: 'error', SOCKETS: '200', ...UNLIMITED });
    const { port } = new URL(gateway.url);
    const failure = await playCases(Number(port), SEED, CASES);
    const pieces = failure && wireCase(failure.seed).pieces.map(String);
    expect(
      failure,
      `${failure?.problem} WIRE_SEED=${failure?.seed} WIRE_CASES=1 plays it again: ${JSON.stringify(pieces)}`,
    ).toBeUndefined();
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    expect(gateway.output(), `seeds from ${SEED}`).not.toMatch(/"level":[56]0/);
    const { code, err } = await gateway.end('SIGTERM');
    expect([code, err], `seeds from ${SEED}`).toEqual([0, '']);
    printTotal(task, `connections of every shape: ${CASES} of ${CASES} served`);
  },
  LIMIT_MS,
);
