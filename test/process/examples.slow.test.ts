// The examples, run to their end against a sandbox as readers would run them. They share one sandbox.
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { freePorts } from '../support/gateway-process.js';
import { fileEnd, scratchFolder, startProcess } from '../support/process.js';

const run = promisify(execFile);

const { atEnd, end } = fileEnd();
const dataDir = join(scratchFolder(atEnd), 'data');
let url: string;
beforeAll(async () => {
  ({ url } = await startProcess({ DATA_DIR: dataDir }, [], atEnd));
});
afterAll(end);

/** What an example prints: its steps, each with a value. */
async function stepsOf(example: string): Promise<Map<string, unknown>> {
  const { stdout } = await run(process.execPath, [`examples/${example}.mjs`, url, dataDir]);
  const steps = stdout.trim().split('\n\n');
  return new Map(steps.map((step) => [step.slice(0, step.indexOf('\n')), JSON.parse(step.slice(step.indexOf('\n')))]));
}

/** Starts the receiver of webhooks, and resolves with its next lines once it listens. */
async function receiverOf(env: Record<string, string>, port: number): Promise<() => Promise<string>> {
  const args = ['examples/receive-webhooks.mjs', String(port)];
  const receiver = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  onTestFinished(() => void receiver.kill());
  const lines = createInterface({ input: receiver.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? '';
  expect(await next()).toBe(`listening at http://127.0.0.1:${port}/`);
  return next;
}

describe('The example', () => {
  it('the example issue-and-read issues, is read by the holder, and revokes', async () => {
    const steps = await stepsOf('issue-and-read');
    expect(steps.get('read by the holder')).toMatchObject({ degree: 'MSc', field: 'Astronomy', honours: true });
    expect(steps.get('revoked')).toHaveProperty('revokedAt');
  });

  it('the example receive-webhooks registers, and verifies what is issued', async () => {
    const keyFile = join(dataDir, 'partner.json');
    const cli = async (...args: string[]) =>
      (
        await run(process.execPath, ['dist/cli/main.js', ...args, '--key-file', keyFile], {
          env: { ...process.env, DATA_DIR: dataDir },
        })
      ).stdout;
    await cli('partner', 'create', '--name', 'Campus', '--issuer', 'lumen-university');
    const subject = '{"degree": "MSc", "field": "Astronomy", "conferredOn": "2026-06-30", "honours": true}';
    const issue = async (): Promise<string> => {
      const args = ['--credential', 'degree-lumen', '--email', 'you@example.org', '--subject', subject, '--json'];
      return JSON.parse(await cli('issue', ...args)).coreClaimHash;
    };
    const [[port = 0], PARTNER_TOKEN] = [await freePorts(1), (await cli('partner', 'token')).trim()];
    const line = await receiverOf({ GATEWAY: url, PARTNER_TOKEN }, port);
    const hash = await issue();
    expect([await line(), await line()]).toEqual([
      expect.stringMatching(`^msg_\\S+ verified: submitted ${hash}$`),
      expect.stringMatching(`^msg_\\S+ verified: stored ${hash}$`),
    ]);
  });

  it.skipIf(ANVIL === undefined)('verify becomes Compliant, and its proof and receipt are checked', async () => {
    const steps = await stepsOf('verify');
    expect(steps.get('explained on the device')).toMatchObject([{ credentialId: 'degree-lumen', met: true }]);
    expect(steps.get('recorded')).toMatchObject({ status: 'Compliant' });
    expect(steps.get('receipt')).toMatchObject({ result: { status: 'Compliant' } });
    expect(steps.get('proof checked')).toMatchObject({ valid: true, credentialId: 'degree-lumen' });
    expect(JSON.stringify([steps.get('answered'), steps.get('recorded'), steps.get('receipt')])).not.toMatch(
      // Without the characters around it, 1.7 could also be part of a time.
      /[:,[]"?1\.7"?[,}\]]/,
    );
  });

  it.skipIf(ANVIL === undefined)(
    'sign-yourself has a holder of a self-signed credential become Compliant',
    async () => {
      const steps = await stepsOf('sign-yourself');
      expect(steps.get('explained on the device')).toMatchObject([{ credentialId: 'alpine-member', met: true }]);
      expect(steps.get('recorded')).toMatchObject({ status: 'Compliant' });
      expect(JSON.stringify([steps.get('stored'), steps.get('answered'), steps.get('recorded')])).not.toMatch(
        // Without the characters around it, 37 could also be part of an id or a time.
        /summits|[:,[]"?37"?[,}\]]/,
      );
    },
  );
});
