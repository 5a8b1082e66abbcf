// Every command of docs/runbook.md is run as it is written there, on a gateway that runs: one that does not work any more fails here.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf, type TestGateway } from '../support/gateway.js';
import { registerPartner } from '../support/partner.js';
import { fileEnd, type RunningProcess, scratchFolder, startProcess } from '../support/process.js';

const page = readFileSync('docs/runbook.md', 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
/** Commands in sentences, each once: those of the command line, and of curl. */
const inSentences = [
  ...new Set([...page.matchAll(/`((?:npm run cli -- |curl )[^`]+)`/g)].map(([, text = '']) => text)),
];
const STOPPED = '# The gateway is stopped.';

const { atEnd, end } = fileEnd();
const folder = scratchFolder(atEnd);
const dataDir = join(folder, 'data');
let gateway: RunningProcess;
let variables: Record<string, string>;
let keysOfPartner: () => Promise<string[]>;
beforeAll(async () => {
  gateway = await startProcess({ DATA_DIR: dataDir, SAMPLE_CATALOG: 'false' }, [], atEnd);
  const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
  const { rest } = callsOf(gateway.url);
  const admin: TestGateway['admin'] = (method, path, { body } = {}) =>
    rest(method, path, { body, headers: { 'x-admin-api-key': key } });
  const partner = await registerPartner({ rest, admin } as TestGateway);
  const hook = await partner.rest('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', types: ['stored'] });
  expect(hook.status).toBe(201);
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'new', alg: 'ES256', use: 'sig' };
  writeFileSync(join(folder, 'new-key.json'), JSON.stringify(jwk));
  variables = {
    BACKUP: join(folder, 'backup'),
    PARTNER: partner.partnerId,
    OLD_KID: 'k1',
    WEBHOOK: hook.body.webhookId,
  };
  keysOfPartner = async () => {
    const { body } = await admin('GET', `/v1/admin/partners/${partner.partnerId}`);
    return body.jwks.keys.map(({ kid }: { kid: string }) => kid);
  };
});
afterAll(end);

/** A command of the page, for this gateway and its folder. */
const here = (text: string): string =>
  text
    .replaceAll(/\bnpm run /g, `npm --prefix ${resolve('.')} run `)
    // Whoever is called reads the response; here its status decides.
    .replaceAll('curl -s ', 'curl -sf ')
    .replaceAll('localhost:4000', new URL(gateway.url).host)
    .replaceAll('<address>', gateway.url)
    .replaceAll('<id>', variables.PARTNER ?? '');

// Not spawnSync: while it waits, the connections of this process could be closed by the gateway unseen.
async function run(command: string) {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, ...variables };
  const child = spawn('sh', ['-ec', here(command)], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  return { status, out: stdout + stderr };
}

describe('the runbook, while a gateway runs', () => {
  const running = blocks.filter((block) => !block.startsWith(STOPPED));

  it('has commands', () => {
    expect(blocks.length).toBeGreaterThan(8);
    expect(inSentences.length).toBeGreaterThan(4);
  });

  it.each(running)('%s', async (block) => {
    const { status, out } = await run(block);
    expect({ status, out: status === 0 ? '' : out }).toEqual({ status: 0, out: '' });
    if (block.includes('keys.push')) expect(await keysOfPartner()).toEqual(['k1', 'new']);
    if (block.includes('OLD_KID')) expect(await keysOfPartner()).toEqual(['new']);
  });

  it.each(inSentences)('%s', async (command) => {
    const { status, out } = await run(command);
    expect({ status, out: status === 0 ? '' : out }).toEqual({ status: 0, out: '' });
  });
});

describe('the runbook, while no gateway runs', () => {
  it.each(blocks.filter((block) => block.startsWith(STOPPED)))('%s', async (block) => {
    expect((await gateway.end('SIGTERM')).code).toBe(0);
    const { status, out } = await run(block);
    expect({ status, out: status === 0 ? '' : out }).toEqual({ status: 0, out: '' });
  });
});
