// The examples as their readers run them: against a fresh sandbox, to their end.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { scratchFolder, startProcess } from '../support/process.js';

const run = promisify(execFile);

/** What an example prints: its steps, each with a value. */
async function stepsOf(example: string): Promise<Map<string, unknown>> {
  const dataDir = join(scratchFolder(), 'data');
  const { url } = await startProcess({ DATA_DIR: dataDir });
  const { stdout } = await run(process.execPath, [`examples/${example}.mjs`, url, dataDir]);
  const steps = stdout.trim().split('\n\n');
  return new Map(steps.map((step) => [step.slice(0, step.indexOf('\n')), JSON.parse(step.slice(step.indexOf('\n')))]));
}

describe('The example', () => {
  it('issue-and-read issues, is read by the holder, and revokes', async () => {
    const steps = await stepsOf('issue-and-read');
    expect(steps.get('read by the holder')).toMatchObject({ degree: 'MSc', field: 'Astronomy', honours: true });
    expect(steps.get('revoked')).toHaveProperty('revokedAt');
  });

  it.skipIf(ANVIL === undefined)('verify becomes Compliant, and its proof and receipt are checked', async () => {
    const steps = await stepsOf('verify');
    expect(steps.get('explained on the device')).toMatchObject([{ credentialId: 'degree-lumen', met: true }]);
    expect(steps.get('recorded')).toMatchObject({ status: 'Compliant' });
    expect(steps.get('receipt')).toMatchObject({ result: { status: 'Compliant' } });
    expect(steps.get('proof checked')).toMatchObject({ valid: true, credentialId: 'degree-lumen' });
    expect(JSON.stringify([steps.get('answered'), steps.get('recorded'), steps.get('receipt')])).not.toContain('1.7');
  });

  it.skipIf(ANVIL === undefined)(
    'sign-yourself has a holder of a self-signed credential become Compliant',
    async () => {
      const steps = await stepsOf('sign-yourself');
      expect(steps.get('explained on the device')).toMatchObject([{ credentialId: 'alpine-member', met: true }]);
      expect(steps.get('recorded')).toMatchObject({ status: 'Compliant' });
      expect(JSON.stringify([steps.get('stored'), steps.get('answered'), steps.get('recorded')])).not.toMatch(
        // Among ids and times, 37 alone would be no sign of the value.
        /summits|[:,[]"?37"?[,}\]]/,
      );
    },
  );
});
