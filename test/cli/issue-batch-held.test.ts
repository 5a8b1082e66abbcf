// `issue-batch` for recipients that have a live credential of the kind: it asks, or stops; nothing is revoked unasked.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../src/cli/output.js';
import { folder, issuances, results, run, text, useGateway, write } from './batch-runs.js';

useGateway();

/** Issues to two recipients, and then has a file with these and a third. */
async function corrected() {
  write(['a', text('one')], ['b', text('two')]);
  await run();
  write(['a', text('one')], ['b', text('other')], ['c', text('three')]);
  return issuances();
}

/** Answers as a person at the terminal. */
function person(...answers: string[]) {
  const asked: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answers.shift();
  };
  return { asked, ask };
}

const RUN = { run: 'again' };
const RESULT = /^1 of 3 rows issued, 2 left out; results are in /;

describe('issue-batch, for recipients that have a credential', () => {
  it('issue-batch without --on-duplicate and without a terminal stops with the counts, and revokes nothing', async () => {
    const before = await corrected();
    await expect(run(RUN)).rejects.toThrow(
      /^2 of 3 recipients have a live credential of this kind already\. Nothing was sent\. Give --on-duplicate: ignore .*revoke .*omit /,
    );
    await expect(run({ ...RUN, json: true }, 'people.csv', person('replace').ask)).rejects.toThrow('Nothing was sent');
    expect(await issuances()).toEqual(before);
  });

  it('issue-batch asks at a terminal what becomes of theirs, and leaves it by default', async () => {
    const before = await corrected();
    const { asked, ask } = person('yes', '');
    expect(await run(RUN, 'people.csv', ask)).toContain('3 of 3 rows issued');
    expect(asked).toEqual([
      expect.stringMatching(/^2 of 3 recipients have .*\n {2}keep .*\n {2}replace .*cannot be undone.*\n {2}omit .*\n/),
      'Answer keep, replace or omit: ',
    ]);
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });

  it('issue-batch replaces theirs if the answer is replace, and sends nothing without an answer', async () => {
    const before = await corrected();
    await expect(run(RUN, 'people.csv', person().ask)).rejects.toThrow('Nothing was sent');
    expect(await issuances()).toEqual(before);
    expect(await run(RUN, 'people.csv', person('Replace').ask)).toContain('3 of 3 rows issued');
    expect(await issuances()).toEqual({ all: before.all + 3, revoked: before.revoked + 2 });
  });

  it('issue-batch leaves rows out, by an answer or --on-duplicate omit, until it is told what becomes of theirs', async () => {
    const before = await corrected();
    expect(await run(RUN, 'people.csv', person('omit').ask)).toMatch(RESULT);
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
    expect(await run({ run: 'third', onDuplicate: 'omit' })).toMatch(/^0 of 3 rows issued, 3 left out/);
    expect(await run(RUN)).toMatch(RESULT);
    expect(await run({ ...RUN, retryFailed: true })).toMatch(RESULT);
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
    expect(await run({ ...RUN, onDuplicate: 'revoke' })).toMatch(/^3 of 3 rows issued/);
    expect(await issuances()).toEqual({ all: before.all + 3, revoked: before.revoked + 2 });
  });

  it('issue-batch asks nobody if no recipient has one, and finds its results without the result file', async () => {
    const { asked, ask } = person();
    write(['a', text('one')], ['b', text('two')]);
    await run({}, 'people.csv', ask);
    const [first, before] = [results(), await issuances()];
    rmSync(join(folder, 'people.csv.result.csv'));
    await run({}, 'people.csv', ask);
    expect([results(), await issuances(), asked]).toEqual([first, before, []]);
  });

  it('issue-batch --dry-run says how many have one, and which', async () => {
    await corrected();
    expect(await run({ dryRun: true })).toMatch(/^2 of 3 recipients have a live credential of this kind already\. /);
  });
});

describe('A question of the command line', () => {
  it('is asked at a terminal alone, and ends with its input', async () => {
    const said: string[] = [];
    const err = Object.assign(new Writable({ write: (chunk, _, done) => done(void said.push(String(chunk))) }), {
      isTTY: true,
    });
    const input = Object.assign(new PassThrough(), { isTTY: true });
    expect(new Terminal(err, err, {}, new PassThrough()).ask).toBeUndefined();
    expect(new Terminal(err, err, {}).ask).toBeUndefined();
    const terminal = new Terminal(err, err, {}, input);
    const answer = terminal.ask?.('What? ');
    input.write('keep\n');
    expect([await answer, said]).toEqual(['keep', ['What? ']]);
    const none = terminal.ask?.('And now? ');
    input.end();
    expect(await none).toBeUndefined();
  });
});
