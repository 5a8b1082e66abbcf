// `issue-batch` without the result file of an earlier run: nothing that was issued is revoked or issued anew without a word.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { IssueBatchOptions } from '../../src/cli/issue-batch.js';
import { folder, issuances, resultText, run, text, useGateway, write } from './batch-runs.js';

useGateway();

describe('issue-batch, without the result file of its run', () => {
  it('issue-batch without its result file issues no changed row again', async () => {
    write(['a', text('one')], ['b', text('two')]);
    await run();
    const before = await issuances();
    rmSync(join(folder, 'people.csv.result.csv'));
    write(['a', text('one')], ['b', text('other')]);
    await expect(run()).rejects.toThrow(
      '2 of 2 recipients have a live credential of this kind already. Nothing was sent.',
    );
    await expect(run({ onDuplicate: 'ignore' })).rejects.toThrow('sent before in this run, with other content');
    expect(await issuances()).toEqual(before);
  });

  it.each<[IssueBatchOptions['onDuplicate'], IssueBatchOptions['onDuplicate']]>([
    ['ignore', 'revoke'],
    [undefined, 'revoke'],
  ])(
    'issue-batch without its result file issues nothing again with another --on-duplicate: %s, then %s',
    async (first, then) => {
      write(['a', text('one')], ['b', '']);
      await run({ onDuplicate: first });
      const [before, file] = [await issuances(), resultText()];
      rmSync(join(folder, 'people.csv.result.csv'));
      await expect(run({ onDuplicate: then })).rejects.toThrow('or another --on-duplicate');
      await run({ onDuplicate: first });
      expect([await issuances(), resultText()]).toEqual([before, file]);
    },
  );

  it('issue-batch without its result file explains how to issue only missing rows', async () => {
    write(['a', text('one')], ['b', ''], ['c', text('three')]);
    await run();
    const before = await issuances();
    rmSync(join(folder, 'people.csv.result.csv'));
    write(['a', text('one')], ['b', text('two')], ['c', text('corrected')]);
    await expect(run({ onDuplicate: 'ignore' })).rejects.toThrow(
      '--run <another> --on-duplicate ignore issues only what is missing',
    );
    await expect(run({ run: 'another' })).rejects.toThrow('2 of 3 recipients have a live credential of this kind');
    expect(await run({ run: 'another', onDuplicate: 'ignore' })).toContain('3 of 3 rows issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });

  it('issue-batch continues in a corrected copy that has the run and the results of the original', async () => {
    write(['a', text('one')], ['b', ''], ['c', text('three')]);
    await run();
    const before = await issuances();
    write(['a', text('one')], ['b', text('two')], ['c', text('corrected')]);
    renameSync(join(folder, 'people.csv'), join(folder, 'people-corrected.csv'));
    const original = { run: 'people.csv', result: join(folder, 'people.csv.result.csv') };
    await expect(run(original, 'people-corrected.csv')).rejects.toThrow(/^row 3 .* was changed after it was issued\n/);
    const options = { ...original, retryFailed: true, onDuplicate: 'ignore' };
    expect(await run(options, 'people-corrected.csv')).toContain('3 of 3 rows issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });
});
