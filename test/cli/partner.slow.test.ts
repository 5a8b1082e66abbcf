// The first credential in three commands: a partner, its token, and a credential to an address, at a gateway that is found by its folder.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Terminal } from '../../src/cli/output.js';
import { program } from '../../src/cli/program.js';
import { UNLIMITED } from '../support/gateway.js';
import { scratchFolder, startProcess } from '../support/process.js';
import { type CliResult, folderOf, runCli, runCliProcess } from './run-cli.js';

const SUBJECT = '{"degree": "MSc", "field": "Astronomy", "conferredOn": "2026-06-30", "honours": true}';
const NOBODY = /^No gateway responds, [^\n]*\n$/;

describe('At a gateway on a port of its own', () => {
  it('at a gateway on its own port, a partner is created, gets a token and issues; the store is maintained meanwhile', async () => {
    const dataDir = scratchFolder();
    const gateway = await startProcess({ DATA_DIR: dataDir, ...UNLIMITED });
    const keyFile = join(folderOf(), 'partner.json');
    const cli = (...args: string[]): Promise<CliResult> => runCli(args, { DATA_DIR: dataDir });
    const create = ['partner', 'create', '--name', 'Campus', '--issuer', 'lumen-university', '--key-file', keyFile];

    const created = await cli(...create, '--json');
    expect(created).toMatchObject({ code: 0, err: '' });
    const { partnerId, url, issuerDids } = JSON.parse(created.out);
    expect([url, issuerDids]).toEqual([gateway.url, [expect.stringMatching(/^did:key:/)]]);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await cli(...create)).toMatchObject({ code: 1, err: expect.stringMatching(/already registered[^\n]*\n$/) });

    const { out: token } = await cli('partner', 'token', '--key-file', keyFile, '--email', 'ada@example.org');
    expect(decodeJwt(token.trim())).toMatchObject({ partnerId, scope: 'issue', email: 'ada@example.org' });

    const issue = ['issue', '--key-file', keyFile, '--credential', 'degree-lumen', '--email', 'ada@example.org'];
    const issued = await cli(...issue, '--subject', SUBJECT, '--json');
    expect(issued).toMatchObject({ code: 0, err: '' });
    expect(await (await fetch(JSON.parse(issued.out).status)).json()).toMatchObject({ issuerId: 'lumen-university' });
    const refused = await cli(...issue, '--subject', '{"degree": 7}');
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^The gateway refused: [^\n]*\n$/)]);

    // An issuer that signs itself: its partner stores, and `issue` would be refused.
    const club = { name: 'Club', issuerFrom: 'club.example', issuerDid: 'did:web:club.example' };
    await fetch(`${gateway.url}/v1/admin/issuers/club`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        'x-admin-api-key': readFileSync(join(dataDir, 'operator.key'), 'utf8').trim(),
      },
      body: JSON.stringify(club),
    });
    const another = (...more: string[]) => {
      const other = join(folderOf(), 'partner.json');
      return cli('partner', 'create', '--name', 'Club', '--issuer', 'club', '--key-file', other, ...more);
    };
    const storing = await another();
    expect(storing.out).toContain('\n  issues for    nobody yet: give --issuer with a managed issuer\n');
    const stores =
      '  stores for    club (did:web:club.example): credentials that the issuer signed, with POST /v1/dstorage/vcs';
    expect(storing.out).toContain(`\n${stores}\n`);
    const refusedFile = join(folderOf(), 'partner.json');
    const nameless = await cli('partner', 'create', '--name', '', '--key-file', refusedFile);
    expect([nameless.code, nameless.err]).toEqual([1, expect.stringMatching(/^The gateway refused: /)]);
    expect(existsSync(refusedFile)).toBe(false);
    expect((await another('--scope', 'verify')).out).toContain('\n  issues for    nobody: give --scope issue\n');

    expect(JSON.parse((await cli('migrate', '--json')).out).collections).toContain('issuances');
    expect((await cli('traction', 'verify', '--json')).out).toMatch(/^\{"sound":(true|false),"lines":\[/);

    expect(readFileSync(join(dataDir, '.address'), 'utf8')).toBe(`${gateway.url}\n`);
    await gateway.end('SIGTERM');
    expect(existsSync(join(dataDir, '.address'))).toBe(false);
  });

  it('a command waits for a gateway that responds late', async () => {
    const late = createServer(async (request, response) => {
      await delay(2_000);
      response.writeHead(request.url === '/health/live' ? 200 : 403, { 'content-type': 'application/json' });
      response.end('{"status": "live", "message": "Late."}');
    });
    await new Promise<void>((listening) => late.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void late.close());
    const { port } = late.address() as AddressInfo;
    const DATA_DIR = folderOf({ '.address': `http://127.0.0.1:${port}\n` });
    const { code, err } = await runCli(['mailbox', 'ada@example.org', '--key', 'key'], { DATA_DIR });
    expect([code, err]).toEqual([1, 'The gateway refused: Late.\n']);
  });

  it('a command reports that no gateway responds on a port, also after one was killed there', async () => {
    const DATA_DIR = folderOf();
    writeFileSync(join(DATA_DIR, '.address'), 'http://127.0.0.1:2\n');
    const created = await runCli(['partner', 'create', '--name', 'P', '--key-file', join(DATA_DIR, 'k.json')], {
      DATA_DIR,
    });
    expect(created).toMatchObject({ code: 1, err: expect.stringMatching(NOBODY) });
    expect(existsSync(join(DATA_DIR, 'k.json'))).toBe(false);
    const json = await runCli(['partner', 'create', '--name', 'P', '--json'], { DATA_DIR });
    expect([json.code, JSON.parse(json.out)]).toEqual([1, { error: expect.stringMatching(/^No gateway responds/) }]);
  });
});

describe('What is wrong with options', () => {
  const file = (content: string): string => join(folderOf({ file: content }), 'file');
  const issue = ['issue', '--credential', 'c', '--email', 'a@example.org', '--subject'];

  it.each<[string[], RegExp]>([
    [['partner', 'token', '--scope', 'issue,verify'], /^--scope must have issue or verify/],
    [['partner', 'token', '--scope', 'admin'], /^--scope must have issue or verify/],
    [['partner', 'token', '--email', 'foo'], /^--email must be an e-mail address; "foo" is none\.\n$/],
    [['partner', 'create', '--name', 'P', '--url', 'foo'], /^--url must be an address [^\n]*; "foo" is none\.\n$/],
    [[...issue, 'x'], /^--subject is not JSON: the fault is at line 1, column 1\.\n$/],
    [['partner', 'token', '--key-file', '/nope'], /^\/nope cannot be read: there is no such file\.\n$/],
    [['schema', 'impact', 'degree', '/nope'], /^\/nope cannot be read: there is no such file\.\n$/],
  ])('invalid options are reported in one sentence: %j', async (args, sentence) => {
    expect(await runCli(args)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(sentence) });
  });

  it('a file that is not JSON is reported', async () => {
    const { err } = await runCli(['schema', 'impact', 'degree', file('x')]);
    expect(err).toMatch(/file is not JSON: the fault is at line 1, column 1\.\n$/);
  });

  it('invalid options are reported as JSON with --json', async () => {
    const { code, out } = await runCli(['partner', 'create', '--json']);
    expect([code, JSON.parse(out)]).toEqual([1, { error: "required option '--name <name>' not specified" }]);
  });
});

describe('Every command', () => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

  it('every command has --json, --version and --help', async () => {
    const commands = leaves(program(new Terminal(process.stdout, process.stderr)));
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands)
      for (const option of ['--json', '--version', '--help']) expect(command.helpInformation()).toContain(option);
    expect((await runCliProcess(['partner', 'create', '--version'])).out).toMatch(/^\d+\.\d+\.\d+(\+\S+)?\n$/);
  });
});
