// `issue-batch --offers`: an offer for each row of a CSV. The addresses are in the result file alone; a repeated run goes on where one ended.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../support/eventually.js';
import { type Membership, startMembership } from '../support/membership.js';
import { type CliResult, folderOf, runCliProcess } from './run-cli.js';

const PUBLIC = 'http://wallets.localhost:4000';
const HEADER = 'email,credentialSubject.level,credentialSubject.since\n';
const lineOf = (email: string, level: unknown = 7): string => `${email},${level},"""2024-01-01"""\n`;
const csvOf = (...lines: string[]): string => HEADER + lines.join('');

let world: Membership;
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC } });
});
afterAll(() => world?.gateway.close());

const folderWith = async (csv: string): Promise<string> => folderOf({ 'people.csv': csv, token: await world.token() });
const argsOf = (folder: string, more: readonly string[], url = world.gateway.url): string[] => [
  ...['issue-batch', join(folder, 'people.csv'), '--offers', '--url', url, '--credential', 'member'],
  ...['--token-file', join(folder, 'token'), ...more],
];
const fileOf = (folder: string): string => join(folder, 'people.csv.offers.csv');
const resultsIn = (folder: string): Record<string, string>[] =>
  parse(readFileSync(fileOf(folder), 'utf8'), { columns: true });
const offersOf = () => world.gateway.app.connection.collection('offers').countDocuments();

/** Runs the command; what it prints has no address and no code of an offer. */
async function offer(folder: string, more: readonly string[] = [], url?: string): Promise<CliResult> {
  const result = await runCliProcess(argsOf(folder, more, url));
  const said = result.out + result.err;
  expect(said).not.toMatch(/credential_offer_uri|:\/\/\?|\/oid4vci\//);
  return result;
}

const SPOILED: [string, (body: string) => string | undefined][] = [
  ['cut off', () => undefined],
  ['shortened on its way', (body) => body.slice(0, -20)],
  ['a page', () => '<!doctype html><title>Welcome</title>'],
  ['JSON of another kind', () => '{"data":null}'],
  ['null', () => 'null'],
];

/**
 * A gateway's address that refuses each request for an offer that `refuses` names, once and for a second; and the keys that it got.
 * @param spoiled the response to a request in place of the gateway's; undefined: it is cut off
 */
async function openCountingProxy(
  refuses: (count: number) => boolean = () => false,
  spoiled: (count: number, body: string) => string | undefined = (_count, body) => body,
  isCounted = ({ method, url }: IncomingMessage): boolean => method === 'POST' && url === '/v1/offers',
) {
  const keys: unknown[] = [];
  const answerTo = async (incoming: IncomingMessage): Promise<Response> => {
    const counts = isCounted(incoming);
    if (counts) keys.push(incoming.headers['idempotency-key']);
    if (counts && refuses(keys.length))
      return Response.json(
        { error: 429, message: 'Too many offers.' },
        { status: 429, headers: { 'retry-after': '1' } },
      );
    const headers = Object.entries(incoming.headers).filter(([name]) => /^(x-|content-type|idem)/.test(name));
    const body = incoming.method === 'GET' ? undefined : await textOf(incoming);
    const method = incoming.method ?? 'GET';
    return fetch(world.gateway.url + incoming.url, {
      method,
      headers: headers as [string, string][],
      body: body || null,
    });
  };
  const server = createServer(async (incoming, outgoing) => {
    const answer = await answerTo(incoming);
    const retry = answer.headers.get('retry-after');
    outgoing.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(retry ? { 'retry-after': retry } : {}),
    });
    const body = await answer.text();
    const sent = isCounted(incoming) ? spoiled(keys.length, body) : body;
    if (sent === undefined) outgoing.write(body.slice(0, 60), () => incoming.socket.destroy());
    else outgoing.end(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('issue-batch --offers', () => {
  it('writes the address and the code of each offer into a file of its own, which only its owner reads', async () => {
    const folder = await folderWith(
      csvOf(
        lineOf('one@example.org'),
        lineOf('two@example.org', 99),
        lineOf('x@example.org', '{'),
        lineOf('four@example.org'),
      ),
    );
    const { code, out, err } = await offer(folder, ['--tx-code', 'partner', '--expires-in', '600']);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600);
    const results = resultsIn(folder);
    const offered = {
      state: 'OFFERED',
      offerUri: expect.stringMatching(/^openid-credential-offer:\/\//),
      txCode: expect.stringMatching(/^\d{6}$/),
    };
    expect(results).toMatchObject([
      { row: '1', email: 'one@example.org', ...offered },
      { row: '2', state: 'FAILED', code: 'BAD_USER_INPUT', message: expect.stringContaining('level'), offerUri: '' },
      { row: '3', state: 'REFUSED', message: expect.stringContaining('whole number'), offerUri: '', attempt: '0' },
      { row: '4', email: 'four@example.org', ...offered },
    ]);
    const lines = out.trimEnd().split('\n');
    expect(lines).toEqual([
      `row 2 (two@example.org): ${results[1]?.message}`,
      `row 3 (x@example.org): ${results[2]?.message}`,
      `2 of 4 rows offered, 2 not (--retry-failed sends these again); the offers are in ${fileOf(folder)}`,
    ]);
    for (const { txCode } of results) if (txCode) expect(out).not.toContain(txCode);
    const read = await world.partner('GET', `/v1/offers/${results[0]?.offerId}`);
    expect(read.body).toMatchObject({ state: 'open', credentialId: 'member', userUuid: results[0]?.userUuid });
    expect(Date.parse(read.body.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
    const address = new URL(results[0]?.offerUri ?? '').searchParams.get('credential_offer_uri') ?? '';
    expect((await fetch(address.replace(PUBLIC, world.gateway.url))).status).toBe(200);
  });

  it('offers nothing twice when it is repeated, and a corrected row with --retry-failed', async () => {
    const folder = await folderWith(csvOf(lineOf('a2@example.org'), lineOf('b2@example.org', 99)));
    await offer(folder);
    const [file, count] = [readFileSync(fileOf(folder), 'utf8'), await offersOf()];
    expect((await offer(folder)).code).toBe(1);
    expect([readFileSync(fileOf(folder), 'utf8'), await offersOf()]).toEqual([file, count]);
    writeFileSync(join(folder, 'people.csv'), csvOf(lineOf('a2@example.org'), lineOf('b2@example.org', 3)));
    const { code, out } = await offer(folder, ['--retry-failed', '--json']);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, rows: 2, offered: 2, failed: 0, left: 0 });
    expect(resultsIn(folder)).toMatchObject([
      parse(file, { columns: true })[0],
      { state: 'OFFERED', txCode: '', attempt: '2' },
    ]);
    expect(await offersOf()).toBe(count + 1);
  });

  it('shows rows that were changed after they were offered, and withdraws their offers only with an option', async () => {
    const folder = await folderWith(csvOf(lineOf('a3@example.org', 1), lineOf('b3@example.org', 1)));
    await offer(folder);
    const before = resultsIn(folder);
    writeFileSync(join(folder, 'people.csv'), csvOf(lineOf('a3@example.org', 1), lineOf('b3@example.org', 2)));
    const { code, err } = await offer(folder);
    expect(code).toBe(1);
    expect(err).toContain('row 2 (b3@example.org) was changed after it was offered\nNothing was sent.');
    expect(resultsIn(folder)).toEqual(before);
    expect((await offer(folder, ['--on-duplicate', 'revoke'])).code).toBe(0);
    const after = resultsIn(folder);
    expect(after[0]).toEqual(before[0]);
    expect(after[1]?.offerId).not.toBe(before[1]?.offerId);
    const states = await Promise.all(
      [before[1], after[1]].map(async (row) => (await world.partner('GET', `/v1/offers/${row?.offerId}`)).body.state),
    );
    expect(states).toEqual(['closed', 'open']);
  });

  it('goes on after Ctrl-C where it was: each row has one offer', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => lineOf(`k${at}@example.org`));
    const folder = await folderWith(csvOf(...rows));
    const before = await offersOf();
    const child = spawn(process.execPath, ['dist/cli/main.js', ...argsOf(folder, [])], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = Promise.all([textOf(child.stdout), textOf(child.stderr)]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(async () => (await offersOf()) > before + 3);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    const [out, err] = await said;
    expect(err).toContain('Interrupted. The same command continues where this one was.');
    expect(out + err).not.toContain('credential_offer_uri');
    const first = resultsIn(folder).filter(({ state }) => state === 'OFFERED');
    expect(first.length).toBe((await offersOf()) - before);
    expect(first.length).toBeLessThan(60);
    expect((await offer(folder)).out).toContain('60 of 60 rows offered;');
    expect(await offersOf()).toBe(before + 60);
    expect(resultsIn(folder).slice(0, first.length)).toEqual(first);
  });

  it('waits as long as the gateway asks, and repeats a row with the same idempotency key', async () => {
    const folder = await folderWith(csvOf(lineOf('a5@example.org'), lineOf('b5@example.org')));
    const { url, keys } = await openCountingProxy((count) => count === 2);
    expect((await offer(folder, [], url)).out).toContain('2 of 2 rows offered;');
    const [first, second, again] = keys;
    expect(keys).toEqual([first, second, second]);
    expect(again).toMatch(/^issue-offers-[0-9a-f]{64}$/);
    expect(first).not.toBe(second);
    rmSync(fileOf(folder));
    await offer(folder, [], url);
    expect(keys.slice(3)).toEqual([first, second]);
  });

  it.each(SPOILED)('ends with no row offered after a check that is %s', async (what, spoil) => {
    const folder = await folderWith(csvOf(lineOf(`checked-${what.replaceAll(' ', '-').toLowerCase()}@example.org`)));
    const before = await offersOf();
    const isCheck = ({ url }: IncomingMessage): boolean => url === '/graphql';
    const { url } = await openCountingProxy(undefined, (_count, body) => spoil(body), isCheck);
    const sentence = `${url} did not respond with a batch; run the same command again to continue.\n`;
    expect(await offer(folder, [], url)).toEqual({ code: 1, out: '', err: sentence });
    expect((await offer(folder)).out).toContain('1 of 1 row offered;');
    expect(await offersOf()).toBe(before + 1);
  });

  it.each(SPOILED)(
    'ends with one sentence after a response that is %s; repeated, each row has one offer',
    async (what, spoil) => {
      const name = what.replaceAll(' ', '-').toLowerCase();
      const folder = await folderWith(csvOf(lineOf(`one-${name}@example.org`), lineOf(`two-${name}@example.org`)));
      const before = await offersOf();
      const { url } = await openCountingProxy(undefined, (count, body) => (count === 2 ? spoil(body) : body));
      const { code, out, err } = await offer(folder, [], url);
      const sentence = `${url} did not respond with an offer; run the same command again to continue.\n`;
      expect({ code, out, err }).toEqual({ code: 1, out: '', err: sentence });
      expect(resultsIn(folder).map(({ state }) => state)).toEqual(['OFFERED', '']);
      expect((await offer(folder)).out).toContain('2 of 2 rows offered;');
      expect(await offersOf()).toBe(before + 2);
    },
  );

  it('says how to go on if the results cannot be written; repeated, each row has one offer', async () => {
    const folder = await folderWith(csvOf(...[1, 2, 3].map((at) => lineOf(`full${at}@example.org`)), lineOf('x', '{')));
    const before = await offersOf();
    const { url } = await openCountingProxy(undefined, (count, body) => {
      if (count === 2) mkdirSync(fileOf(folder));
      return body;
    });
    // Results are written at the end, and every two seconds of a longer run: not here, however busy the machine is.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { code, err } = await offer(folder, [], url);
    vi.useRealTimers();
    expect(code).toBe(1);
    expect(err).toMatch(
      /cannot be written: .+ 3 rows were sent: run the same command again within 24 hours to continue; nothing is issued twice\.\n$/,
    );
    rmdirSync(fileOf(folder));
    expect((await offer(folder)).out).toContain('3 of 4 rows offered, 1 not');
    expect(await offersOf()).toBe(before + 3);
    expect(readdirSync(folder).toSorted()).toEqual(['people.csv', 'people.csv.offers.csv', 'token']);
  });

  it('ends with one sentence if the whole run is refused, and keeps what it has', async () => {
    const folder = await folderWith(csvOf(lineOf('a6@example.org')));
    writeFileSync(join(folder, 'token'), await world.token({}, 'verify'));
    const { code, out, err } = await offer(folder);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^The gateway refused: [^\n]+\n$/);
    expect(() => statSync(fileOf(folder))).toThrow('ENOENT');
  });

  it.each([
    ['--tx-code none beyond 600 seconds', ['--tx-code', 'none', '--expires-in', '601'], 'at most 600'],
    ['a dry run', ['--dry-run'], '--dry-run is without --offers'],
    ['less than a minute', ['--expires-in', '59'], 'from 60 to 604800'],
    ['another way of the code', ['--tx-code', 'pigeon'], 'Allowed choices are mail, partner, none'],
  ])('refuses %s before anything is sent', async (_what, more, sentence) => {
    const folder = await folderWith(csvOf(lineOf('a7@example.org')));
    const before = await offersOf();
    const { code, err } = await offer(folder, more);
    expect(code).toBe(1);
    expect(err).toContain(sentence);
    expect(await offersOf()).toBe(before);
  });

  it('makes offers without a code for 600 seconds, and none for holders of a credential with --on-duplicate ignore', async () => {
    const email = 'held@example.org';
    const body = {
      issuerDid: world.issuerDid,
      credentialId: 'member',
      email,
      credentialSubject: { level: 1, since: '2024-01-01' },
    };
    const issued = await world.partner('POST', '/v1/credentials/issue-on-behalf', body);
    expect(issued.status).toBe(200);
    const folder = await folderWith(csvOf(lineOf(email), lineOf('a8@example.org')));
    const { code, out } = await offer(folder, ['--tx-code', 'none', '--on-duplicate', 'ignore']);
    expect(code).toBe(0);
    expect(out).toContain('1 of 2 rows offered, 1 with a live credential;');
    const [held, free] = resultsIn(folder);
    expect(held).toMatchObject({ state: 'ISSUED', coreClaimHash: issued.body.coreClaimHash, offerUri: '' });
    expect(free).toMatchObject({ state: 'OFFERED', txCode: '', coreClaimHash: '' });
    expect(Date.parse(free?.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(600_000);
  });
});
