// `issue-batch` run again: after corrections, after a day, after a gateway that was away. Nothing that was issued is lost or issued anew.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DomainError } from '../../src/base/errors.js';
import { readRows } from '../../src/cli/batch-file.js';
import { contentOf } from '../../src/cli/batch-results.js';
import type { IssueBatchOptions } from '../../src/cli/issue-batch.js';
import { until } from '../support/eventually.js';
import {
  folder,
  gateway,
  issuances,
  PARTNER,
  results,
  resultText,
  run,
  text,
  useGateway,
  write,
} from './batch-runs.js';

useGateway();

describe('issue-batch, run again', () => {
  it('issue-batch, when repeated, issues a corrected row and does not change issued ones', async () => {
    write(['a', text('one')], ['b', ''], ['c', text('three')]);
    await run();
    const [first, second, third] = results();
    expect([first?.state, second?.state, third?.state]).toEqual(['ISSUED', 'FAILED', 'ISSUED']);
    const before = await issuances();
    write(['a', text('one')], ['b', text('two')], ['c', text('three')]);
    expect(await run()).toContain('2 of 3 rows issued, 1 not');
    expect(await issuances()).toEqual(before);
    const said = await run({ retryFailed: true });
    expect(said).toMatch(/^row 2 \(b\d+@example\.org\) was changed after it failed\n3 of 3 rows issued;/);
    const [, mended] = results();
    expect(results()).toEqual([first, mended, third]);
    expect(mended).toMatchObject({ state: 'ISSUED', code: '', attempt: '2' });
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });

  it('issue-batch, when repeated, sends nothing twice even if the gateway no longer remembers the run', async () => {
    write(['a', text('one')], ['b', '']);
    await run();
    const [before, file] = [await issuances(), resultText()];
    await gateway.app.connection.collection('idempotencyKeys').deleteMany({});
    await run();
    expect([await issuances(), resultText()]).toEqual([before, file]);
    await run({ retryFailed: true });
    expect(await issuances()).toEqual(before);
  });

  it('issue-batch, when repeated, continues with a started batch whose results were never written', async () => {
    write(['a', text('one')], ['b', text('two')]);
    await run();
    const [before, file] = [await issuances(), resultText()];
    writeFileSync(join(folder, 'people.csv.result.csv'), `${file.split('\r\n')[0]}\r\n`);
    await run();
    expect([await issuances(), resultText()]).toEqual([before, file]);
  });

  it('issue-batch, when repeated, shows issued rows that were changed, and replaces them only with an option', async () => {
    write(['a', text('one')], ['b', text('two')]);
    await run();
    const [before, file] = [await issuances(), resultText()];
    write(['a', text('one')], ['b', text('other')]);
    for (const options of [{}, { retryFailed: true }])
      await expect(run(options)).rejects.toThrow(
        /^row 2 \(b\d+@example\.org\) was changed after it was issued\nNothing was sent\./,
      );
    await run({ onDuplicate: 'ignore' });
    expect([await issuances(), resultText()]).toEqual([before, file]);
    expect(await run({ onDuplicate: 'revoke' })).toContain('2 of 2 rows issued');
    expect(await issuances()).toEqual({ all: before.all + 1, revoked: before.revoked + 1 });
    expect(results()[0]).toEqual(parse(file, { columns: true })[0]);
  });

  it('issue-batch, when repeated after a kill, knows what it had sent, and shows rows that were changed since', async () => {
    const rows = Array.from({ length: 200 }, (_, at): [string, string] => [`k${at}-`, text('one')]);
    write(...rows);
    const before = await issuances();
    const options = ['--url', gateway.url, '--credential', 'again-credential'];
    const keys = ['--key-file', join(folder, 'key.json'), '--partner-id', PARTNER];
    const args = ['dist/cli/main.js', 'issue-batch', join(folder, 'people.csv'), ...options, ...keys];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await until(() => existsSync(join(folder, 'people.csv.result.csv')));
    child.kill('SIGKILL');
    write(...rows.slice(0, -1), ['k199-', text('two')]);
    await expect(run()).rejects.toThrow(/^row 200 \(.*\) was changed after it was issued\nNothing was sent\./);
    write(...rows);
    expect(await run()).toContain('200 of 200 rows issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 200 });
  });

  it('issue-batch, when repeated, continues if the gateway no longer has the batch that was sent', async () => {
    write(['a', text('one')], ['b', text('two')]);
    await run();
    const before = await issuances();
    writeFileSync(join(folder, 'people.csv.result.csv'), resultText().replaceAll('ISSUED', 'SENT'));
    await gateway.app.connection.collection('issuanceJobs').deleteMany({});
    await run();
    expect(results()).toMatchObject([{ state: 'FAILED', code: 'NOT_FOUND' }, { state: 'FAILED' }]);
    expect(await run({ retryFailed: true })).toContain('2 of 2 rows issued');
    expect(await issuances()).toEqual(before);
  });

  it('issue-batch, when repeated, does not treat another order of columns as a change', async () => {
    const contentsOf = (...lines: string[]) => readRows(lines.join('\n'), undefined).map(contentOf);
    const columns = ['credentialSubject.a', 'credentialSubject.b'];
    expect(contentsOf(`email,${columns}`, 'x@example.org,1,2')).toEqual(
      contentsOf(`email,${columns.toReversed()}`, 'x@example.org,2,1'),
    );
  });

  it('issue-batch, when repeated, refuses a file with inserted or removed lines', async () => {
    write(['a', text('one')], ['b', text('two')]);
    await run();
    const before = await issuances();
    write(['new', text('new')], ['a', text('one')], ['b', text('two')]);
    await expect(run()).rejects.toThrow(/row 1 was issued to a\d+@example\.org, and is now new\d+@/);
    write(['a', text('one')]);
    await expect(run({ onDuplicate: 'revoke' })).rejects.toThrow(/row 2 was issued to b.*gone\nNothing was sent\./);
    write(['a', text('one')], ['b', text('two')], ['new', text('new')]);
    expect(await run()).toContain('3 of 3 rows issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });
});

describe('The same recipient in two rows', () => {
  const rows: [string, string][] = [
    ['a', text('one')],
    ['b', text('two')],
    ['A', text('three')],
  ];

  it('a recipient in two rows is refused before anything is sent, and reported in a dry run', async () => {
    write(...rows);
    const before = await issuances();
    const line = String.raw`row 3 \(A\d+@example\.org\) has the same recipient as row 1\n`;
    for (const options of [{}, { run: 'second' }])
      await expect(run(options)).rejects.toThrow(new RegExp(`^${line}Nothing was sent\\. .*revoke.*ignore`));
    expect(await run({ dryRun: true })).toMatch(new RegExp(`^${line}A run would send nothing\\. .*\n3 of 3 rows fit`));
    expect(await issuances()).toEqual(before);
    expect(await run({ onDuplicate: 'ignore' })).toMatch(new RegExp(`^${line}3 of 3 rows issued`));
    expect(await issuances()).toEqual({ ...before, all: before.all + 2 });
    expect(await run()).toMatch(/^3 of 3 rows issued/);
  });

  it.each([
    ['ren\u00e9', 'rene\u0301'],
    ['a@b\u00fccher.example', 'a@xn--bcher-kva.example'],
    ['a@fa\u00df.example', 'A@XN--fa-hia.example'],
    ['a@example.com', 'a@\uff45xample.com'],
  ])('a recipient in two rows is detected in another spelling: %s and %s', async (one, other) => {
    write([one, text('one')], [other, text('two')]);
    const before = await issuances();
    await expect(run()).rejects.toThrow(/^row 2 \(.*\) has the same recipient as row 1\n/);
    expect(await issuances()).toEqual(before);
    write([one, text('one')]);
    await run();
    write([other, text('one')]);
    await expect(run()).rejects.toThrow(/^row 1 \(.*\) was changed after it was issued\n/);
    expect(await run({ onDuplicate: 'ignore' })).toContain('1 of 1 row issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 1 });
  });

  it('a recipient in two rows is refused if a row is added for someone whose row was issued', async () => {
    write(...rows.slice(0, 2));
    await run();
    write(...rows);
    await expect(run()).rejects.toThrow('has the same recipient as row 1');
    const before = await issuances();
    expect(await run({ onDuplicate: 'revoke' })).toContain('3 of 3 rows issued');
    expect(await issuances()).toEqual({ all: before.all + 1, revoked: before.revoked + 1 });
  });
});

describe('The result file', () => {
  it('the result file stays if there is no new one, because the gateway is unreachable or refuses', async () => {
    write(['a', text('one')], ['b', '']);
    await run();
    const file = resultText();
    await expect(run({ url: 'http://127.0.0.1:1', retryFailed: true })).rejects.toThrow('cannot be reached');
    await expect(run({ issuer: 'did:example:none' })).rejects.toThrow('holds results of something else');
    write(['a', text('one')], ['b', text('two')]);
    await expect(run({ kid: 'unknown', retryFailed: true })).rejects.toThrow('refused');
    expect(resultText()).toBe(file);
  });

  it('the result file is not overwritten by a dry run, or by a run with another name', async () => {
    write(['a', text('one')]);
    await run();
    const file = resultText();
    await run({ dryRun: true });
    await run({ run: 'second', onDuplicate: 'ignore' });
    expect(resultText()).toBe(file);
    await expect(run({ dryRun: true, result: join(folder, 'people.csv.result.csv') })).rejects.toThrow(
      'something else',
    );
  });

  it('the result file must exist, and be complete, before failed rows are issued again', async () => {
    write(['a', text('one')]);
    await expect(run({ retryFailed: true })).rejects.toThrow('1 row has no result');
  });

  it.each<[Partial<IssueBatchOptions>, string]>([
    [{ run: 'May/June' }, '--run must be without /'],
    [{ run: '..\\x' }, '--run must be without /'],
    [{ result: 'no-folder/v.csv' }, 'no-folder/v.csv cannot be written: there is no such folder.'],
    [{ result: '/proc/x' }, '/proc/x cannot be written: '],
    [{ result: '/dev/null' }, '/dev/null cannot be written: it is not a file.'],
  ])('the result file is written as a trial before anything is sent: %j', async (options, sentence) => {
    write(['a', text('one')]);
    const before = await issuances();
    await expect(run(options)).rejects.toThrow(sentence);
    await expect(run(options)).rejects.toThrow(DomainError);
    expect(await issuances()).toEqual(before);
    expect(readdirSync(folder).toSorted()).toEqual(['key.json', 'people.csv']);
  });

  it('if the result file can no longer be written, one sentence says so, and the same command continues', async () => {
    write(['a', text('one')], ['b', text('two')]);
    const before = await issuances();
    const file = join(folder, 'people.csv.result.csv');
    const { fetch } = globalThis;
    const spy = vi.spyOn(globalThis, 'fetch').mockImplementation((...request) => {
      if (String(request[1]?.body).includes('issueOnBehalfBatch'))
        mkdirSync(join(file, 'in-its-place'), { recursive: true });
      return fetch(...request);
    });
    onTestFinished(() => spy.mockRestore());
    await expect(run()).rejects.toThrow(
      /result\.csv cannot be written: .*\. 2 rows were sent: run the same command again within 24 hours/,
    );
    spy.mockRestore();
    expect(readdirSync(folder).toSorted()).toEqual(['key.json', 'people.csv', 'people.csv.result.csv']);
    rmSync(file, { recursive: true });
    expect(await run()).toContain('2 of 2 rows issued');
    expect(await issuances()).toEqual({ ...before, all: before.all + 2 });
  });
});
