// What a process logs while something that it needs is away: warnings for people. Level 50 is a fault of the gateway, and an outage is none.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { storeUnavailable } from '../../src/base/errors.js';
import type { PartName } from '../../src/base/monitoring/problem-kinds.js';
import { runCli } from '../cli/run-cli.js';
import { startTestEngine, type TestEngine } from '../engine/support.js';
import { type CutProxy, openCutProxy } from '../support/cut-proxy.js';
import { eventually } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

/** A port at which nothing listens. */
const NOWHERE = '127.0.0.1:9';

let engine: TestEngine;
let proxy: CutProxy;
let gateway: GatewayProcess;
let partner: TestPartner;
let issuerDid: string;
beforeAll(async () => {
  engine = await startTestEngine();
  expect((await runCli(['migrate'], { MONGODB_URI: engine.engine.uri })).code).toBe(0);
  proxy = await openCutProxy(engine.engine.uri);
  gateway = new GatewayProcess({
    MONGODB_URI: proxy.uri,
    REQUEST_TIMEOUT_SECONDS: '2',
    LOG_LEVEL: 'warn',
    SMTP_URL: `smtp://${NOWHERE}`,
    ...{ CHAIN_RPC_URL: `http://${NOWHERE}`, CHAIN_ID: '5', RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}` },
    ...{ ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0' },
  });
  await gateway.start();
  issuerDid = await registerIssuer(gateway.asGateway, 'away');
  partner = await registerPartner(gateway.asGateway, [issuerDid]);
});
afterAll(async () => {
  gateway.remove();
  await proxy.close();
  await engine.close();
});

interface Line {
  level: number;
  msg: string;
  more?: number;
  part?: string;
}
/** The complete lines of the log. */
const lines = (): Line[] =>
  gateway.output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
const faults = () => lines().filter(({ level }) => level > 40);
const logsPart = (part: PartName) => () => expect(lines().map((line) => line.part)).toContain(part);
const AWAY = storeUnavailable().message;
const away = () => lines().filter(({ msg }) => msg === AWAY);

const issue = () =>
  partner.rest('POST', '/v1/credentials/issue-on-behalf', {
    ...{ issuerDid, credentialId: 'away-credential', credentialSubject: { note: 'x' } },
    email: 'away@example.org',
  });

it('a mail server that is away causes no line of level 50', async () => {
  await partner.rest(
    'POST',
    '/v1/auth/login',
    {},
    { 'x-partner-auth': await partner.token({ email: 'a@example.org' }) },
  );
  await eventually(logsPart('mail'));
  expect(faults()).toEqual([]);
});

it('a chain that is away causes no line of level 50', async () => {
  // A request may take two seconds here, which a busy machine needs.
  await eventually(async () => expect((await issue()).status).toBe(200));
  await eventually(logsPart('chain'));
  expect(faults()).toEqual([]);
});

it('a full disk causes no line of level 50, and few of level 40 for many requests', async () => {
  const failPoint = (mode: string) =>
    engine.client.db('admin').command({
      ...{ configureFailPoint: 'failCommand', mode },
      data: { failCommands: ['insert', 'update', 'delete', 'findAndModify', 'commitTransaction'], errorCode: 14_031 },
    });
  await failPoint('alwaysOn');
  for (let sent = 0; sent < 50; sent += 1) expect((await issue()).status).toBe(503);
  await eventually(logsPart('disk'));
  await failPoint('off');
  expect(lines().length).toBeLessThan(50);
  expect(faults()).toEqual([]);
  await eventually(async () =>
    expect((await gateway.rest('GET', '/health/ready')).body.problems).not.toContainEqual(
      expect.stringContaining('disk'),
    ),
  );
});

it('a store that hangs and goes away causes no line of level 50, and few of level 40 without stacks for many requests', async () => {
  let failed = 0;
  const ask = async (): Promise<void> => {
    failed += 1;
    expect((await gateway.rest('GET', `/v1/catalog/issuers?limit=${1 + (failed % 50)}`)).status).toBe(503);
  };
  const askMany = () => Promise.all(Array.from({ length: 40 }, ask));
  const before = away().length;
  proxy.hold();
  await askMany();
  // The handlers of those requests still wait for the store; now they fail.
  await proxy.close();
  await askMany();
  await eventually(async () => {
    await ask();
    expect(away().some(({ more = 0 }) => more > 0)).toBe(true);
  });
  expect(away().length - before).toBeLessThan(failed / 2);
  expect(away().filter((line) => JSON.stringify(line).includes('stack'))).toEqual([]);
  expect(faults()).toEqual([]);
});
