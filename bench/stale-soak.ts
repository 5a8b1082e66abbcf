// `node dist/bench/stale-soak.js [minutes] [pause]`: three gateways over one store, writes through all, reads from all, every answer checked.
// A read must show what its own gateway has acknowledged before it began, and what another one has acknowledged a while before; and
// every few seconds, when nobody writes, all must answer exactly what a gateway without memory reads from the store.
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchStore, openBenchStore } from './bench-store.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';

const CREDENTIALS = 300;
const PROGRAMS = 150;
const WRITTEN = 40;
const WRITERS = 2;
const READERS = 4;
/** How far a gateway may be behind another one's writes, milliseconds. */
const MAX_BEHIND_MS = 1_000;
const ROUND_MS = 5_000;
const SETTLE_MS = 1_500;

/** One write of a credential: its version, and when its gateway acknowledged it. */
interface Write {
  version: number;
  gateway: number;
  acknowledged: number;
}

interface Tally {
  reads: number;
  writes: number;
  pages: number;
  /** Milliseconds that an old value was still shown after another gateway's write. */
  behind: number[];
  wrong: string[];
}

const pick = (below: number): number => Math.floor(Math.random() * below);
const idOf = (at: number): string => `credential-${at}`;

const PAGES = [
  '{ credentials(first: 50) { totalCount nodes { credentialId name traction { demandCount } issuer { name } schema { title } } } }',
  '{ credentials(first: 100, orderBy: { field: NAME }) { nodes { credentialId name } pageInfo { endCursor } } }',
  '{ issuers(first: 20) { totalCount nodes { issuerId credentials(first: 5) { totalCount nodes { credentialId name } } } } }',
  '{ schemas(first: 20) { nodes { schemaId credentialCount issuerCount issuers(first: 3) { nodes { name } } credentials(first: 5) { nodes { name } } } } }',
  '{ programs(first: 50) { nodes { programId credentialCount acceptedCredentials { credential { name } } } } }',
];

/** The name with what hangs on it: what is kept of the row must go with it, and with what hangs on it. */
const READ =
  'query ($id: String!) { credential(credentialId: $id) { name category issuer { name } schema { title } } }';

class Soak {
  readonly tally: Tally = { reads: 0, writes: 0, pages: 0, behind: [], wrong: [] };
  readonly #writes = Array.from({ length: WRITTEN }, (): Write[] => []);
  readonly #versions = Array.from({ length: WRITTEN }, () => 0);
  readonly #busy = new Set<number>();
  #last = 0;

  constructor(
    private readonly gateways: readonly GatewayProcess[],
    private readonly plain: GatewayProcess,
    /** Longest pause of a reader or writer between two requests, milliseconds. */
    private readonly pauseMs: number,
  ) {}

  async round(): Promise<void> {
    const until = performance.now() + ROUND_MS;
    const loop = async (step: () => Promise<void>): Promise<void> => {
      while (performance.now() < until) {
        await step();
        await delay(pick(this.pauseMs));
      }
    };
    await Promise.all([
      ...Array.from({ length: WRITERS }, () => loop(() => this.#write())),
      ...Array.from({ length: READERS }, () => loop(() => this.#read())),
    ]);
    await delay(SETTLE_MS);
    await this.#comparePages();
  }

  /** Changes one credential: its name says which version it is. Every tenth time it is retired and made anew. */
  async #write(): Promise<void> {
    const at = pick(WRITTEN);
    if (this.#busy.has(at)) return delay(1);
    this.#busy.add(at);
    const gateway = pick(this.gateways.length);
    const version = (this.#versions[at] ?? 0) + 1;
    this.#versions[at] = version;
    const body = {
      name: `Soak v${version}`,
      category: 'Soak',
      issuerId: `issuer-${pick(3)}`,
      schemaId: `schema-${at % 5}`,
    };
    const writer = this.gateways[gateway] ?? this.plain;
    if (version % 10 === 0) await writer.remove(`credentials/${idOf(at)}`);
    await writer.put(`credentials/${idOf(at)}`, body);
    this.#writes[at]?.push({ version, gateway, acknowledged: performance.now() });
    this.#busy.delete(at);
    this.#last = at;
    this.tally.writes += 1;
  }

  async #read(): Promise<void> {
    // Often what was written last: there an old value would be seen.
    const at = pick(2) ? this.#last : pick(WRITTEN);
    const gateway = pick(this.gateways.length);
    const reader = this.gateways[gateway] ?? this.plain;
    const began = performance.now();
    const floor = this.#floor(at, gateway, began);
    const shown = pick(2) ? await this.#byGraphql(reader, at) : await this.#byRest(reader, at);
    this.tally.reads += 1;
    // Retired just now, or not yet written.
    if (shown === undefined) return;
    const latest = this.#writes[at]?.filter(({ acknowledged }) => acknowledged <= began).at(-1);
    if (latest && shown < latest.version) this.tally.behind.push(began - latest.acknowledged);
    if (shown < floor || shown > (this.#versions[at] ?? 0))
      this.tally.wrong.push(`gateway ${gateway} showed v${shown} of ${idOf(at)} where v${floor} was due`);
  }

  /** The version that must be shown at least. */
  #floor(at: number, gateway: number, began: number): number {
    const due = this.#writes[at]?.filter((write) => {
      return write.acknowledged <= (write.gateway === gateway ? began : began - MAX_BEHIND_MS);
    });
    return due?.at(-1)?.version ?? 0;
  }

  async #byGraphql(reader: GatewayProcess, at: number): Promise<number | undefined> {
    const data = await reader.query(READ, { id: idOf(at) });
    return versionOf((data as { credential: { name: string } | null }).credential?.name);
  }

  async #byRest(reader: GatewayProcess, at: number): Promise<number | undefined> {
    const answer = await fetch(`${reader.url}/v1/catalog/credentials/${idOf(at)}`);
    const { data } = (await answer.json()) as { data?: { name: string } };
    return versionOf(data?.name);
  }

  async #comparePages(): Promise<void> {
    for (const page of PAGES) {
      const due = JSON.stringify(await this.plain.query(page));
      for (const [at, gateway] of this.gateways.entries()) {
        // From the store perhaps, then from rows in memory, then from texts that were made of them.
        for (let time = 0; time < 4; time += 1) {
          this.tally.pages += 1;
          if (JSON.stringify(await gateway.query(page)) !== due) this.tally.wrong.push(`gateway ${at}: ${page}`);
        }
      }
    }
  }
}

const versionOf = (name: string | undefined): number | undefined => {
  const version = /^Soak v(\d+)$/.exec(name ?? '')?.[1];
  return version === undefined ? undefined : Number(version);
};

async function main(minutes: number, pauseMs: number): Promise<void> {
  const store: BenchStore = await openBenchStore(CREDENTIALS, PROGRAMS);
  const start = (settings: Record<string, string> = {}): Promise<GatewayProcess> =>
    GatewayProcess.start(scratchFolder(), { mongodbUri: store.uri, settings });
  // The third puts every answer together anew, as they all do for whoever is signed in.
  const gateways = [await start(), await start(), await start({ RESPONSE_CACHE_MB: '0' })];
  const plain = await start({ ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0' });
  const soak = new Soak(gateways, plain, pauseMs);
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    await soak.round();
    console.error(line(soak.tally));
  }
  await Promise.all([...gateways, plain].map((gateway) => gateway.stop()));
  await store.stop();
  console.log(line(soak.tally));
  for (const wrong of soak.tally.wrong.slice(0, 20)) console.log(wrong);
  process.exitCode = soak.tally.wrong.length > 0 ? 1 : 0;
}

function line({ reads, writes, pages, behind, wrong }: Tally): string {
  const sorted = [...behind].sort((a, b) => a - b);
  const part = (of: number): number => Math.round(sorted[Math.floor(sorted.length * of)] ?? 0);
  const late = `${behind.length} behind (p50 ${part(0.5)} ms, p99 ${part(0.99)} ms, at most ${Math.round(sorted.at(-1) ?? 0)} ms)`;
  return `${reads} reads, ${writes} writes, ${pages} pages compared; ${late}; ${wrong.length} wrong`;
}

await main(Number(process.argv[2] ?? 60), Number(process.argv[3] ?? 20));
