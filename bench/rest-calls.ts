// One query against the REST calls that it replaces, as one browser makes them: six connections.
import { Agent, request } from 'node:http';
import { type PageData, pageBody } from './graphql-query.js';
import { median, timed } from './report.js';

const CONNECTIONS = 6;
const WARM_UP = 20;
const ROUNDS = 60;

export interface RestCalls {
  calls: number;
  /** Medians, milliseconds. */
  queryMs: number;
  restMs: number;
}

/** The details that hold what the page shows: its credentials, and each issuer, schema and program once. */
function pathsOf({ credentials: { nodes } }: PageData): string[] {
  const distinct = (kind: string, ids: string[]) => [...new Set(ids)].map((id) => `/v1/catalog/${kind}/${id}`);
  return [
    ...distinct(
      'credentials',
      nodes.map(({ credentialId }) => credentialId),
    ),
    ...distinct(
      'issuers',
      nodes.map(({ issuer }) => issuer.issuerId),
    ),
    ...distinct(
      'schemas',
      nodes.map(({ schema }) => schema.schemaId),
    ),
    ...distinct(
      'programs',
      nodes.flatMap(({ programs }) => programs.nodes.map(({ programId }) => programId)),
    ),
  ];
}

/** Reads one answer to its end. @throws Error for another status than 200. */
function call(agent: Agent, url: string, path: string, body?: string): Promise<void> {
  const headers =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
      answer.resume();
      if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
      answer.once('end', resolve);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Asks in turns, so that both see the same machine. */
export async function compareWithRest(url: string, page: PageData): Promise<RestCalls> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const paths = pathsOf(page);
  const body = pageBody();
  const queries: number[] = [];
  const rests: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const query = await timed(() => call(agent, url, '/graphql', body));
    const rest = await timed(() => Promise.all(paths.map((path) => call(agent, url, path))));
    if (round < 0) continue;
    queries.push(query);
    rests.push(rest);
  }
  agent.destroy();
  return { calls: paths.length, queryMs: median(queries), restMs: median(rests) };
}
