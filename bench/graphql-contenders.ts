// Who is measured against whom: our gateway in its modes, and the peers, all over one store, all on the server's core.
import type { BenchStore } from './bench-store.js';
import { SERVER_CORE } from './cores.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import type { Contender } from './graphql-load.js';
import { type PageData, pageBody } from './graphql-query.js';
import { startInstalledPeer, startPeer } from './peer-process.js';

/** The modes of our gateway: settings that anyone may set. */
export const MODES = {
  /** As it comes: entities and answers kept. */
  cached: {},
  /** Entities and their texts kept, every answer put together anew. */
  fragments: { RESPONSE_CACHE_MB: '0' },
  /** Entities kept, every answer written anew. */
  dynamic: { RESPONSE_CACHE_MB: '0', ROW_TEXT_CACHE_MB: '0' },
  /** Nothing kept: every row from the store. */
  cold: { RESPONSE_CACHE_MB: '0', ENTITY_CACHE_MB: '0' },
} as const satisfies Record<string, Record<string, string>>;

export type Mode = keyof typeof MODES;

export interface Contenders {
  /** In the order of measuring: who is compared is near to each other. */
  all: Contender[];
  gateways: Readonly<Record<Mode, GatewayProcess>>;
  /** What the page's data must be, as the hand-written program reads it from the store. */
  page: PageData;
  stop(): Promise<void>;
}

export function startGateway(store: BenchStore, settings: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  return GatewayProcess.start(scratchFolder(), { mongodbUri: store.uri, settings, core: SERVER_CORE });
}

async function textOf(url: string, body?: string): Promise<string> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const answer = await fetch(url, body === undefined ? {} : post);
  return answer.text();
}

/** A new document each time, for all who are asked for documents never seen. */
function firstSeen(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return pageBody(`Page${count}`);
  };
}

/** Starts everybody and asks each once. */
export async function startContenders(store: BenchStore): Promise<Contenders> {
  const cached = await startGateway(store, MODES.cached);
  const fragments = await startGateway(store, MODES.fragments);
  const dynamic = await startGateway(store, MODES.dynamic);
  const cold = await startGateway(store, MODES.cold);
  const handwritten = await startPeer('handwritten', [store.uri]);
  const apollo = await startPeer('apollo', [store.uri]);
  const mercurius = await startInstalledPeer('mercurius', [store.uri]);
  const pageText = await textOf(`${handwritten.url}/page`, pageBody());
  const { data } = JSON.parse(pageText) as { data: PageData };
  const detailPath = `/v1/catalog/credentials/${data.credentials.nodes[0]?.credentialId}`;
  const detailText = await textOf(cold.url + detailPath);
  const detail = (JSON.parse(detailText) as { data: unknown }).data;
  const constant = await startPeer('constant', [store.uri, pageText, detailText]);
  const ask = ({ url, pid }: { url: string; pid: number }, name: string, path: string): Contender => {
    return { name, url, pid, method: 'POST', path, body: pageBody(), expected: data };
  };
  const get = { method: 'GET', body: undefined, expected: detail } as const;
  const all: Contender[] = [
    { ...ask(apollo, 'stock, first-seen documents', '/graphql'), body: firstSeen() },
    { ...ask(cached, 'ours, first-seen documents', '/graphql'), body: firstSeen() },
    ask(apollo, 'stock Apollo + type-graphql', '/graphql'),
    ask(dynamic, 'ours, warm entities', '/graphql'),
    ask(mercurius, 'Mercurius + jit', '/graphql'),
    ask(fragments, 'ours, kept fragments', '/graphql'),
    ask(cold, 'ours, from the store', '/graphql'),
    ask(handwritten, 'hand-written, from the store', '/page'),
    ask(cached, 'ours, cached answer', '/graphql'),
    ask(constant, 'Fastify, constant page', '/page'),
    { ...ask(cached, 'ours, REST detail', detailPath), ...get },
    { ...ask(constant, 'Fastify, constant detail', '/detail'), ...get },
  ];
  const gateways = { cached, fragments, dynamic, cold };
  return {
    all,
    gateways,
    page: data,
    stop: async () => {
      for (const peer of [handwritten, apollo, mercurius, constant]) peer.stop();
      await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()));
    },
  };
}
