// What is wrong with the arguments of a command is its last line, as every result is.
import { expect, it } from 'vitest';
import { runCli } from './run-cli.js';

const SENTENCE = "unknown option '--scopes' (Did you mean --scope?)";

it('an unknown option is reported on one line, with the option that was probably meant', async () => {
  const args = ['partner', 'create', '--name', 'P', '--scopes', 'issue'];
  expect(await runCli(args)).toEqual({ code: 1, out: '', err: `error: ${SENTENCE}\n` });
  expect((await runCli([...args, '--json'])).out).toBe(`${JSON.stringify({ error: SENTENCE })}\n`);
});
