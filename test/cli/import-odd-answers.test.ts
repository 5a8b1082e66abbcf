// `import` with responses that no gateway sends, and with one that ends early: it reports no line as imported that has no result.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { openTarget } from '../../src/cli/import-target.js';
import { folderOf, runCli } from './run-cli.js';

const LINES = Array.from({ length: 5 }, (_, at) => ({
  kind: 'verifiers',
  id: `v${at}`,
  name: `V ${at}`,
  verifierDid: `did:web:v${at}.example`,
}));

/** Opens a server whose imports have these responses, the last one from then on. @returns its address, and the ids that each import sent */
async function openServer(...responses: ((ids: string[], outgoing: ServerResponse) => void)[]) {
  const sent: string[][] = [];
  const server = createServer(async (incoming: IncomingMessage, outgoing) => {
    const lines = (await text(incoming)).split('\n').filter((line) => line !== '');
    const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id);
    sent.push(ids);
    const respond = responses[Math.min(sent.length, responses.length) - 1];
    respond?.(ids, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent };
}

/** The results of some lines, from the first. */
const created = (ids: readonly string[], first = 1): string =>
  ids.map((id, at) => `${JSON.stringify({ line: at + first, kind: 'verifiers', id, result: 'created' })}\n`).join('');

async function importInto(url: string) {
  const folder = folderOf({ 'verifiers.ndjson': LINES.map((line) => JSON.stringify(line)).join('\n') });
  return runCli(['import', folder, '--url', url, '--key', 'key']);
}

const totalsOf = (url: string, count: number): string =>
  `imported into ${url}: ${count} created, 0 updated, 0 unchanged, 0 refused\n`;
const strange = (url: string): string => `What is at ${url}/v1/admin/import does not respond as a gateway does.\n`;

describe('cli import', () => {
  it.each([
    ['a page', () => '<!doctype html><title>Welcome</title>'],
    ['JSON that is no result', () => '{"data":null}\n'],
    ['a result of an unknown kind', ([id]: string[]) => `${JSON.stringify({ line: 1, id, result: 'done' })}\n`],
    ['the result of another line', (ids: string[]) => created(ids.slice(1), 2)],
    ['null', () => 'null\n'],
  ])('ends at once, and counts no line, if the response is %s', async (_name, body) => {
    const { url, sent } = await openServer((ids, outgoing) => outgoing.end(body(ids)));
    expect(await importInto(url)).toEqual({ code: 1, out: '', err: strange(url) });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['more results than lines', (ids: string[]) => created([...ids, 'more'])],
    ['a result twice', (ids: string[]) => created(ids.slice(0, 2)) + created(ids.slice(0, 1), 2)],
  ])('ends with what it has if the response has %s', async (_name, body) => {
    const { url } = await openServer((ids, outgoing) => outgoing.end(body(ids)));
    expect(await importInto(url)).toMatchObject({ code: 1, err: strange(url) });
  });

  it('sends the rest again after a response that ends early', async () => {
    const half = (ids: string[], outgoing: ServerResponse): void => void outgoing.end(created(ids.slice(0, 2)));
    const { url, sent } = await openServer(half, (ids, outgoing) => outgoing.end(created(ids)));
    const { code, out, err } = await importInto(url);
    expect([code, out]).toEqual([0, totalsOf(url, 5)]);
    expect(err).toContain('Lines without a result are sent again in 1 s.');
    expect(sent).toEqual([LINES.map(({ id }) => id), ['v2', 'v3', 'v4']]);
  });

  it('goes on with a gateway that ends before its first result, and cannot be reached until it has started again', async () => {
    const server = createServer(async (incoming, outgoing) => {
      const ids = (await text(incoming)).split('\n').filter((line) => line !== '');
      outgoing.end(created(ids.map((line) => (JSON.parse(line) as { id: string }).id)));
    });
    const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await listen(0);
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    server.once('connection', (socket) => {
      server.close();
      socket.once('data', () => socket.resetAndDestroy());
    });
    const target = await openTarget(loadConfig({}), { url: `http://127.0.0.1:${port}`, key: 'key' });
    const lines = async function* () {
      for (const line of LINES) yield JSON.stringify(line);
    };
    let pauses = 0;
    const results: string[] = [];
    const starts: Promise<void>[] = [];
    const onPause = (): void => {
      pauses += 1;
      if (pauses === 2) starts.push(listen(port));
    };
    for await (const { result } of target.send(lines(), onPause)) results.push(result);
    await Promise.all(starts);
    expect([pauses, results]).toEqual([2, LINES.map(() => 'created')]);
  });
});
