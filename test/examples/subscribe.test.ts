// What the gateway refuses, `examples/subscribe.mjs` says in one sentence.
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it.each([
  ['a token that is none', 'subscription { issuanceEvents { id } }', { PARTNER_TOKEN: 'bad' }, /^The gateway closed /],
  ['a field that is none', 'subscription { nope }', {}, /^Cannot query field "nope" /],
])('%s', async (_fault, query, token, sentence) => {
  const env = { PATH: process.env.PATH, GATEWAY: gateway.url, ...token };
  const ended = await new Promise((resolve) =>
    execFile(process.execPath, ['examples/subscribe.mjs', query], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, lines: stderr.split('\n') }),
    ),
  );
  expect(ended).toEqual({ code: 1, stdout: '', lines: [expect.stringMatching(sentence), ''] });
});
