// What a stranger at one address may try, each as one attempt that is repeated. Nothing here needs credentials; every target is on loopback.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { wireCase } from './wire-case.js';
import { playCase } from './wire-client.js';

/** One attempt against a gateway. */
export type Attack = (url: string) => Promise<unknown>;

/** How long a silent or listening connection is held, milliseconds. */
const HOLD_MS = 5_000;

const randomName = (): string => `n${randomUUID().replaceAll('-', '')}`;
const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

async function ask(url: string, body: unknown): Promise<void> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  });
  await answer.arrayBuffer();
}

const query = (text: () => string): Attack => {
  return (url) => ask(url, { query: text() });
};

/** Forty fragments, each of which spreads the next one twice. */
function doublingFragments(): string {
  const name = randomName();
  const fragment = (at: number): string => `fragment ${name}${at} on Query { ...${name}${at + 1} ...${name}${at + 1} }`;
  return `{ ...${name}0 } ${times(39, fragment)} fragment ${name}39 on Query { __typename }`;
}

function wideIntrospection(): string {
  const name = randomName();
  const levels = times(
    4,
    (at) => `fragment ${name}${at} on __Type { ${times(3, (alias) => `a${alias}: ofType { ...${name}${at + 1} }`)} }`,
  );
  const leaf = `fragment ${name}4 on __Type { name fields { name type { name fields { name type { name } } } } }`;
  return `{ __schema { ${times(6, (at) => `a${at}: types { ...${name}0 ...${name}4 }`)} } } ${levels} ${leaf}`;
}

function wideLists(): string {
  const accepted = times(
    8,
    (at) => `a${at}: acceptedCredentials { credential { name dataPoints { name } } verificationConditions }`,
  );
  return `query ${randomName()} { programs(first: 100) { nodes { ${accepted} } } }`;
}

function filteredCounts(): string {
  return `{ ${times(45, (at) => `c${at}: credentials(first: 1, where: { name: { contains: "${randomName().slice(1, 3)}" } }) { totalCount }`)} }`;
}

/** What is allowed, as large as it is allowed, and never the same. */
function largestPage(): string {
  return `query ${randomName()} { credentials(first: 100) { nodes {
    name category createdAt issuer { name issuerDid } schema { title } traction { holderCount issuanceCount }
    programs(first: 3) { nodes { name verifier { name } } } } } }`;
}

const deepVariables: Attack = (url) =>
  ask(url, `{"query":"query ($v: JSON) { __typename }","variables":{"v":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`);

const largeBody: Attack = (url) => ask(url, `{"query":"{ __typename }","extensions":{"x":"${'x'.repeat(250_000)}"}}`);

async function get(url: string): Promise<void> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
}

const search: Attack = (url) => get(`${url}/v1/catalog/search?q=${randomName().slice(1, 4)}&limit=50`);
const lastPage: Attack = (url) => get(`${url}/v1/catalog/credentials?page=100&limit=100&category=${randomName()}`);

const login: Attack = async (url) => {
  const body = JSON.stringify({ email: `${randomName()}@example.com`, partnerId: randomUUID() });
  const headers = { 'content-type': 'application/json' };
  await (await fetch(`${url}/v1/auth/login`, { method: 'POST', headers, body })).arrayBuffer();
};

/** A request whose head never ends. */
const slowHead: Attack = async (url) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write('GET /graphql HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  await delay(HOLD_MS);
  socket.destroy();
};

/** A socket with as many different subscriptions as it is allowed, and some more. */
const manySubscriptions: Attack = async (url) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => {});
  socket.on('open', () => socket.send('{"type":"connection_init"}'));
  socket.on('message', (message) => {
    if (!String(message).includes('connection_ack')) return;
    for (let at = 0; at < 60; at += 1) {
      const text = `subscription { ${randomName()}: catalogChanged { id changes { node { id } } } }`;
      socket.send(JSON.stringify({ id: String(at), type: 'subscribe', payload: { query: text } }));
    }
  });
  await delay(HOLD_MS);
  socket.terminate();
};

const eventStream: Attack = async (url) => {
  const text = encodeURIComponent(`subscription ${randomName()} { catalogChanged { id } }`);
  const signal = AbortSignal.timeout(HOLD_MS);
  const answer = await fetch(`${url}/graphql?query=${text}`, { headers: { accept: 'text/event-stream' }, signal });
  await answer.arrayBuffer();
};

let seed = Math.floor(Math.random() * 2 ** 31);
const wire: Attack = (url) => playCase(Number(new URL(url).port), wireCase(seed++));

/** Each attack, and how many attempts of it are under way at the same time. */
export const ATTACKS: readonly (readonly [name: string, attack: Attack, concurrent: number])[] = [
  ['doubling fragments', query(doublingFragments), 2],
  ['wide introspection', query(wideIntrospection), 2],
  ['wide lists', query(wideLists), 2],
  ['filtered counts', query(filteredCounts), 2],
  ['largest pages', query(largestPage), 4],
  ['deep variables', deepVariables, 1],
  ['large bodies', largeBody, 1],
  ['search', search, 2],
  ['last pages', lastPage, 2],
  ['logins', login, 1],
  ['slow heads', slowHead, 200],
  ['subscriptions', manySubscriptions, 25],
  ['event streams', eventStream, 25],
  ['raw wire', wire, 4],
];
