// Proofs cost nothing until they are needed: a gateway loads the proof library only when it gets the first provable credential.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner } from '../support/partner.js';

const folder = mkdtempSync(join(tmpdir(), 'modules-'));
const list = join(folder, 'modules');
const hook = join(folder, 'hook.cjs');
writeFileSync(list, '');
// Records every module that is required, and every worker thread that is started.
writeFileSync(
  hook,
  `const Module = require('node:module');
   const threads = require('node:worker_threads');
   const { appendFileSync } = require('node:fs');
   const note = (name) => appendFileSync(${JSON.stringify(list)}, name + '\\n');
   const load = Module._load;
   Module._load = function (request, ...rest) {
     note(request);
     return load.call(this, request, ...rest);
   };
   threads.Worker = class extends threads.Worker {
     constructor(file, options) {
       note(String(file));
       super(file, options);
     }
   };
   Module.syncBuiltinESMExports();`,
);
const gateway = new GatewayProcess({ NODE_OPTIONS: `--require=${hook}`, SAMPLE_CATALOG: 'true' });
afterAll(() => {
  gateway.remove();
  rmSync(folder, { recursive: true });
});

const hasLoaded = (name: string): boolean => readFileSync(list, 'utf8').includes(name);

it('a gateway starts and serves the catalog without loading the proof library, and loads it to sign', async () => {
  await gateway.start();
  expect((await gateway.rest('GET', '/v1/catalog/programs')).status).toBe(200);
  expect(hasLoaded('engine/worker.js')).toBe(true);
  const isLoaded = () => [hasLoaded('crypto-wasm'), hasLoaded('zk/worker.js')];
  expect(isLoaded()).toEqual([false, false]);
  const issuerDid = await registerIssuer(gateway.asGateway, 'club');
  const partner = await registerPartner(gateway.asGateway, [issuerDid]);
  const body = { issuerDid, credentialId: 'club-credential', credentialSubject: { note: 'x' }, email: 'a@example.org' };
  expect((await partner.rest('POST', '/v1/credentials/issue-on-behalf', body)).status).toBe(200);
  // The library is loaded in the worker, whose modules are not in this list.
  expect(isLoaded()).toEqual([false, true]);
});
