// A data folder in an earlier format (test/process/old-store) is converted by a start or by `migrate` alone; both print so before.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FORMAT } from '../../src/engine/store/format.js';
import { runCli } from '../cli/run-cli.js';
import { runProcess, scratchFolder, startProcess } from '../support/process.js';

const OLD = 'test/process/old-store';
const KEYS = { KEYSTORE_KEY: Buffer.alloc(32, 9).toString('base64'), CHAIN: 'off', ZK: 'off' };
const REFUSED = new RegExp(
  `is in format 1: the start of this version converts it to format ${FORMAT}.*Copy the folder first`,
);

/** A folder that is marked as format 1, with rows of an earlier version. */
function oldFolder(): string {
  const folder = join(scratchFolder(), 'data');
  mkdirSync(folder);
  writeFileSync(join(folder, 'data.mdb'), gunzipSync(readFileSync(join(OLD, 'data.mdb.gz'))), { mode: 0o600 });
  writeFileSync(join(folder, 'engine.json'), '{"engine":"credential-gateway","format":1}\n');
  return folder;
}

const bytesOf = (folder: string): string[] =>
  ['data.mdb', 'engine.json'].map((name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  );
const formatOf = (folder: string): unknown => JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8')).format;

describe('A folder of an earlier format', () => {
  it('a folder of an earlier format is not changed by commands, which say what a start would do', async () => {
    const DATA_DIR = oldFolder();
    const before = bytesOf(DATA_DIR);
    const cli = (...args: string[]) => runCli(args, { ...KEYS, DATA_DIR });
    for (const args of [
      ['traction', 'verify'],
      ['audit', 'verify'],
      ['audit', 'export'],
      ['operator-key', 'list'],
      ['operator-key', 'create', 'ada', '--role', 'read'],
      ['import', 'test/process/old-store'],
      ['store', 'copy', '--from', DATA_DIR, '--to', join(scratchFolder(), 'copy')],
    ])
      expect([args, await cli(...args)]).toEqual([
        args,
        expect.objectContaining({ code: 1, err: expect.stringMatching(REFUSED) }),
      ]);
    expect((await cli('doctor')).out).toMatch(/^warn +store +The data folder .* is in format 1: /m);
    expect(await cli('engine', 'check')).toMatchObject({ code: 0 });
    expect(await cli('engine', 'backup', join(scratchFolder(), 'backup'))).toMatchObject({ code: 0 });
    expect(bytesOf(DATA_DIR)).toEqual(before);
  });

  it.each([[[]], [['--workers', '2']]])(
    'a folder of an earlier format is not started with UPGRADE=ask (%s)',
    async (args: string[]) => {
      const DATA_DIR = oldFolder();
      const before = bytesOf(DATA_DIR);
      const { code, err } = await runProcess({ ...KEYS, DATA_DIR, UPGRADE: 'ask' }, { args });
      expect([code, err]).toEqual([1, expect.stringMatching(REFUSED)]);
      expect(err).toMatch(/with UPGRADE=auto\.\n$/);
      expect(bytesOf(DATA_DIR)).toEqual(before);
    },
  );

  it.each([[[]], [['--workers', '2']]])(
    'a folder of an earlier format is converted by a start, which logs it before (%s)',
    async (args: string[]) => {
      const DATA_DIR = oldFolder();
      const gateway = await startProcess({ ...KEYS, DATA_DIR, LOG_LEVEL: 'info' }, args);
      // The log is written to another stream than the banner.
      await expect.poll(() => gateway.output()).toContain('Server listening');
      const lines = gateway.output().split('\n');
      const at = lines.findIndex((line) => line.includes('Converting the data folder'));
      expect(JSON.parse(lines[at] ?? '{}')).toMatchObject({ level: 40, from: 1, to: FORMAT });
      expect(lines.findIndex((line) => line.includes('Server listening'))).toBeGreaterThan(at);
      await gateway.end('SIGTERM');
      expect(formatOf(DATA_DIR)).toBe(FORMAT);
      const again = await startProcess({ ...KEYS, DATA_DIR, LOG_LEVEL: 'info', UPGRADE: 'ask' }, args);
      expect(again.output()).not.toContain('Converting');
      await again.end('SIGTERM');
    },
  );

  it('a folder of an earlier format whose rows are not migrated is not reported as wrong counts', async () => {
    const DATA_DIR = oldFolder();
    writeFileSync(join(DATA_DIR, 'engine.json'), `{"engine":"credential-gateway","format":${FORMAT}}\n`);
    const { code, out } = await runCli(['traction', 'verify'], { ...KEYS, DATA_DIR });
    expect([code, out]).toEqual([0, expect.stringMatching(/^Counts over time are not compared: /)]);
    expect(out).toContain('recounted: all as stored');
  });

  it('a folder of an earlier format is converted by migrate, which reports it', async () => {
    const DATA_DIR = oldFolder();
    const { code, err } = await runCli(['migrate'], { ...KEYS, DATA_DIR });
    expect([code, formatOf(DATA_DIR)]).toEqual([0, FORMAT]);
    expect(err).toMatch(new RegExp(`Converting the data folder .* from format 1 to ${FORMAT}`));
    expect(await runCli(['traction', 'verify'], { ...KEYS, DATA_DIR })).toMatchObject({ code: 0 });
  });
});
