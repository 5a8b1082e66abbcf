// Where no gateway responds, an example ends with one sentence that says what to do.
import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

/** Nothing listens on this port. */
const GATEWAY = 'http://127.0.0.1:2';
const SENTENCE = `No gateway responds at ${GATEWAY}: start one with npm start, or set GATEWAY to the address of another.\n`;

it.each(['issue-and-read', 'verify', 'sign-yourself', 'receive-webhooks', 'subscribe', 'offer', 'present'])(
  '%s says that no gateway responds',
  async (example) => {
    const env = { PATH: process.env.PATH, GATEWAY, PARTNER_TOKEN: 'token' };
    const ended = await new Promise((resolve) =>
      execFile(process.execPath, [`examples/${example}.mjs`], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code, stdout, stderr }),
      ),
    );
    expect(ended).toEqual({ code: 1, stdout: '', stderr: SENTENCE });
  },
);
