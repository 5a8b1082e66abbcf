// A data folder of an earlier format (test/engine/store/formats): every command and every start names it, refuses it, and changes no byte.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { Terminal } from '../../src/cli/output.js';
import { program } from '../../src/cli/program.js';
import { FORMAT } from '../../src/engine/store/format.js';
import { runCli } from '../cli/run-cli.js';
import { runProcess, scratchFolder } from '../support/process.js';

const PACKED = 'test/engine/store/formats';
const EARLIER = [3, 4, 5, 6, 7];
const KEYS = { KEYSTORE_KEY: Buffer.alloc(32, 9).toString('base64'), ZK: 'off' };

/** Unpacks a folder that an engine of this format wrote: an index, a unique index, 21 documents, an update; stopped in order. */
function folderOf(format: number): string {
  const folder = join(scratchFolder(), 'data');
  mkdirSync(folder, { mode: 0o700 });
  const packed = resolve(PACKED, `${format}.tar.gz`);
  expect(spawnSync('tar', ['-xzf', packed, '-C', folder]).status).toBe(0);
  return folder;
}

/** The names, modes and contents of everything in a folder. */
function bytesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const content = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'a folder';
      return `${relative(folder, path)} ${statSync(path).mode} ${content}`;
    })
    .sort();
}

const sentenceOf = (format: number): RegExp =>
  new RegExp(
    `The data folder \\S+ is in format ${format}, and this version opens format ${FORMAT} alone\\. Nothing was changed\\. Copy the folder, and convert it by`,
  );

/** The arguments of each command that opens DATA_DIR; `other` is a folder with a `before.key`, for what is read or written beside it. */
const opening = (dataDir: string, other: string): Record<string, readonly string[]> => ({
  doctor: [],
  import: ['examples'],
  migrate: [],
  'traction verify': [],
  'audit verify': [],
  'audit export': [],
  'operator-key create': ['ada', '--role', 'read'],
  'operator-key list': [],
  'operator-key rotate': ['ada'],
  'operator-key withdraw': ['ada'],
  'keys rotate': ['--before-file', join(other, 'before.key')],
  'keys withdraw': ['a-key'],
  'store copy': ['--from', dataDir, '--to', join(other, 'copy')],
  'chain deploy': [],
  'chain allow': [`0x${'11'.repeat(20)}`],
  'chain jobs': [],
  'chain resume': [],
  'engine backup': [join(other, 'backup')],
  'engine check': [],
  'engine compact': [],
  'engine dump': [join(other, 'dump')],
  'engine restore': [other],
  'engine stats': [],
});

/** The commands that only call a running gateway, or the sandbox's node of a chain. */
const CALLING = [
  ...[
    'partner create',
    'partner token',
    'partner list',
    'partner show',
    'partner retire',
    'batch list',
    'batch cancel',
  ],
  ...['webhooks list', 'webhooks show', 'webhooks pause', 'webhooks resume', 'webhooks listen'],
  ...['issue', 'issue-batch', 'schema impact', 'mailbox', 'anchor verify', 'chain reset'],
  ...['holder reset-mfa', 'holder erase', 'holder erasure'],
];

function namesOf(command: Command, path = ''): string[] {
  return command.commands
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => {
      const name = `${path}${each.name()}`;
      return each.commands.length > 0 ? namesOf(each, `${name} `) : [name];
    });
}

/** A folder with what commands read beside the data folder. */
function otherFolder(): string {
  const other = scratchFolder();
  writeFileSync(join(other, 'before.key'), Buffer.alloc(32, 8).toString('base64'));
  mkdirSync(join(other, 'test'));
  writeFileSync(join(other, 'test', 'a.bson'), Buffer.from('0500000000', 'hex'));
  return other;
}

describe('A data folder of an earlier format', () => {
  it('every command is known either to open the data folder or to call a gateway', () => {
    const terminal = new Terminal(process.stdout, process.stderr, {});
    expect(namesOf(program(terminal)).sort()).toEqual([...Object.keys(opening('', '')), ...CALLING].sort());
  });

  it.each(EARLIER)('every command names format %i and refuses it, and no byte is changed', async (format) => {
    const [dataDir, other] = [folderOf(format), otherFolder()];
    const before = bytesOf(dataDir);
    for (const [name, args] of Object.entries(opening(dataDir, other))) {
      const { code, out, err } = await runCli([...name.split(' '), ...args], { ...KEYS, DATA_DIR: dataDir });
      expect([name, code, out + err]).toEqual([name, 1, expect.stringMatching(sentenceOf(format))]);
      expect([name, bytesOf(dataDir)]).toEqual([name, before]);
    }
    const into = await runCli(['store', 'copy', '--from', join(other, 'none'), '--to', dataDir], KEYS);
    expect(into.code).toBe(1);
    expect(bytesOf(dataDir)).toEqual(before);
    expect(['copy', 'backup', 'dump'].filter((name) => existsSync(join(other, name, 'data.mdb')))).toEqual([]);
  });

  it.each(EARLIER)('every start names format %i and refuses it, and no byte is changed', async (format) => {
    const dataDir = folderOf(format);
    const before = bytesOf(dataDir);
    const starts = [
      await runProcess({ ...KEYS, DATA_DIR: dataDir }),
      await runProcess({ ...KEYS, DATA_DIR: dataDir }, { args: ['--workers', '2'] }),
      spawnSync(process.execPath, ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir], { encoding: 'utf8' }),
    ].map((ended) => ('status' in ended ? { code: ended.status, err: ended.stderr } : ended));
    for (const { code, err } of starts) expect([code, err]).toEqual([1, expect.stringMatching(sentenceOf(format))]);
    expect(bytesOf(dataDir)).toEqual(before);
  });
});
