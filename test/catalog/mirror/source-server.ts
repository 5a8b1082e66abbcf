// Another network: a small catalog over the source's REST API. Tests can replace any of its responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

/** A network's catalog, as its detail routes return it. */
export interface SourceNetwork {
  schemas: Map<string, Json & { credentials: Json[] }>;
  credentials: Map<string, Json>;
  programs: Map<string, Json>;
}

/** Handles a request instead of the server; returns true if it has responded. */
export type Interference = (path: string, response: ServerResponse, request: IncomingMessage) => boolean;

export interface SourceServer {
  /** The base address, including /v1. */
  base: string;
  network: SourceNetwork;
  /** All requested paths, in order. */
  asked: string[];
  /** The largest number of requests that were open at the same time. */
  mostOpen(): number;
  interfere(how: Interference | undefined): void;
  /** From now on, delays each response by this time, milliseconds. */
  slowDown(delayMs: number): void;
  close(): Promise<void>;
}

const issuerOf = (at: number) => ({
  issuerId: `issuer-${at % 3}`,
  name: `Issuer ${at % 3}`,
  issuerDid: `did:web:issuer-${at % 3}.example`,
  issuerFrom: 'elsewhere',
});

const verifierInfo = { verifierId: 'verifier', name: 'Verifier', verifierDid: 'did:web:verifier.example' };

/** A network of `size` schemas, each with one credential and one program. */
export function networkOf(size: number): SourceNetwork {
  const network: SourceNetwork = { schemas: new Map(), credentials: new Map(), programs: new Map() };
  for (let at = 0; at < size; at += 1) addTo(network, at);
  return network;
}

function addTo({ schemas, credentials, programs }: SourceNetwork, at: number): void {
  const [schemaId, credentialId, programId] = [`schema-${at}`, `credential-${at}`, `program-${at}`];
  const dataPoints = [{ name: 'level', title: 'Level', type: 'integer', isRequired: true, description: '' }];
  const createdAt = new Date(Date.UTC(2025, 0, 1, 0, at)).toISOString();
  const credential = {
    credentialId,
    name: `Credential ${at}`,
    category: 'education',
    issuer: issuerOf(at),
    traction: { holderCount: at, issuanceCount: at, verificationCount: 1 },
    createdAt,
  };
  schemas.set(schemaId, {
    schemaId,
    title: `Schema ${at}`,
    description: '',
    dataPoints,
    credentials: [credential],
    createdAt,
  });
  credentials.set(credentialId, {
    ...credential,
    dataPoints,
    schema: { schemaId, title: `Schema ${at}` },
    programs: [],
  });
  programs.set(programId, {
    programId,
    name: `Program ${at}`,
    description: 'A program.',
    acceptedCredentials: [{ credentialId, name: credential.name, verificationConditions: ['level >= 3'] }],
    verifierInfo,
    traction: { verificationCount: 2 },
    pricingModel: 'free',
    createdAt,
  });
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const envelope = (data: unknown) => ({ code: 80_000_000, msg: 'success', data, timestamp: 1 });

/** Sends a response of 100 MB. */
export function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(1_000_000, 0x20);
  let left = 100;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(chunk)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

function recordsOf(network: SourceNetwork, list: string): Json[] {
  if (list === 'programs') return [...network.programs.values()].map(({ acceptedCredentials: _, ...record }) => record);
  return [...network.schemas.values()].map(({ schemaId, title, credentials }) => ({
    schemaId,
    title,
    credentialCount: credentials.length,
  }));
}

function pageOf(network: SourceNetwork, list: string, query: URLSearchParams) {
  const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
  const records = recordsOf(network, list);
  return {
    current: page,
    pages: Math.ceil(records.length / limit),
    size: limit,
    total: records.length,
    records: records.slice((page - 1) * limit, page * limit),
  };
}

function answer(network: SourceNetwork, url: URL, response: ServerResponse): void {
  const [, , , kind = '', id] = url.pathname.split('/');
  const list = id === undefined ? pageOf(network, kind, url.searchParams) : undefined;
  const detail = list ?? network[kind as keyof SourceNetwork]?.get(decodeURIComponent(id ?? ''));
  if (detail === undefined) send(response, 404, { error: 404, message: 'not found' });
  else send(response, 200, envelope(detail));
}

/** Starts the source on a free port. */
export async function startSource(network: SourceNetwork): Promise<SourceServer> {
  const asked: string[] = [];
  let interference: Interference | undefined;
  let [open, most, delayMs] = [0, 0, 0];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://source');
    asked.push(url.pathname + url.search);
    open += 1;
    most = Math.max(most, open);
    response.on('close', () => {
      open -= 1;
    });
    if (interference?.(url.pathname + url.search, response, request)) return;
    setTimeout(() => answer(network, url, response), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    network,
    asked,
    mostOpen: () => most,
    interfere: (how) => {
      interference = how;
    },
    slowDown: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
