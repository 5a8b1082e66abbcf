// Key set hosts, mirror sources and chain nodes that answer as no HTTP server does: each request ends, and the next one succeeds.
import { afterEach, expect, it } from 'vitest';
import { MIRROR_LIMITS } from '../../../src/catalog/mirror/limits.js';
import { Source } from '../../../src/catalog/mirror/source.js';
import { ask, NODE, rpcOver } from '../../../src/evm/rpc.js';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import { PublishedKeySet } from '../../../src/partners/published-key-set.js';
import { ODD_ANSWERS, type OddAnswer, type OddServer, oddServer } from '../../support/odd-server.js';

const servers: OddServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const fetch = guardedFetch({ allowLoopback: true });
const KEYS = { keys: [{ kty: 'EC', crv: 'P-256', kid: 'k', x: 'x', y: 'y' }] };
const ENTRY = { code: 80_000_000, data: { schemaId: 's' } };
const BLOCK = { jsonrpc: '2.0', id: 1, result: '0x10' };

/** A request to a host, and the host's usual response. */
interface Door {
  answer: object;
  open(url: string): () => Promise<unknown>;
}

const DOORS: Readonly<Record<string, Door>> = {
  'A key set': {
    answer: KEYS,
    open: (url) => {
      let now = 0;
      const told = { onStale: () => {}, onFetched: () => {} };
      const set = new PublishedKeySet(url, { fetch, clock: () => now, staleIfErrorMs: 1, ...told });
      return () => {
        // This is after the pause that follows a failure.
        now += 100_000;
        return set.version();
      };
    },
  },
  "A mirror's source": {
    answer: ENTRY,
    open: (url) => {
      const { signal } = new AbortController();
      const given = { base: url, fetch, signal, pause: async () => {}, clock: () => 0, limits: MIRROR_LIMITS };
      // The odd response ends at the first limit; the usual one may need longer on a busy machine.
      const limits = [500, 60_000];
      return () => new Source({ ...given, timeoutMs: limits.shift() ?? 0 }).detail('schemas', 's');
    },
  },
  "A chain's node": {
    answer: BLOCK,
    open: (url) => {
      const rpc = rpcOver(fetch, url);
      return () => ask(rpc, NODE.number, 'eth_blockNumber');
    },
  },
};

async function ends({ answer, open }: Door, name: string, odd: OddAnswer): Promise<[string, string, string]> {
  const server = await oddServer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
  );
  servers.push(server);
  const question = open(server.url);
  const outcome = (): Promise<string> =>
    question().then(
      () => 'answered',
      () => 'failed',
    );
  server.odd = odd;
  const first = await outcome();
  server.odd = undefined;
  return [name, first, await outcome()];
}

it.each(Object.entries(DOORS))('%s that gets an odd response fails, and works when its host does', async (_, door) => {
  const outcomes = await Promise.all(Object.entries(ODD_ANSWERS).map(([name, odd]) => ends(door, name, odd)));
  expect(outcomes).toEqual(Object.keys(ODD_ANSWERS).map((name) => [name, 'failed', 'answered']));
});
