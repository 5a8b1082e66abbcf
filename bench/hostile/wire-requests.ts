// Requests as bytes, each with the answer that it must get: good ones of every form, and ends of a connection that are not.
// biome-ignore-all lint/suspicious/noThenProperty: `then` is the end of a request, and nobody awaits a request.
import type { Random } from './random.js';

/** What must come for a request. */
export interface Answer {
  status: number;
  /** What the body holds; nothing of the request's own in it: any body. */
  holds?: string;
  /** HEAD, and answers without content. */
  bodyless?: boolean;
}

/** One request. */
export interface Sent {
  bytes: Buffer;
  answer: Answer;
}

/** The last of a connection. */
export interface End {
  bytes: Buffer;
  /**
   * `closed`: a refusal or none, then the end. `acknowledged`: a socket that speaks the protocol. `answered`: this answer, then the end.
   * `stream`: the head of a stream of events.
   */
  outcome: { kind: 'closed' } | { kind: 'acknowledged' } | { kind: 'stream' } | { kind: 'answered'; answer: Answer };
}

const JSON_TYPE = 'Content-Type: application/json';

/** Whether a request also offers HTTP/2, which is to be ignored. */
const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];

function head(random: Random, line: string, fields: readonly string[]): Buffer {
  const offers = random.chance(25) ? H2C : [];
  const lines = [`${line} HTTP/1.1`, 'Host: gateway', ...fields, ...offers];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
}

/** A good request; `name` is what tells its answer from all others where the path lets it. */
export function goodRequest(random: Random, name: string): Sent {
  const make = random.of([query, query, posted, posted, chunked, chunked, plain, plain, expecting, refused]);
  return make(random, name);
}

function query(random: Random, name: string): Sent {
  const text = encodeURIComponent(
    `{ ${random.chance(50) ? 'credentials(first: 1) { totalCount }' : ''} ${name}: __typename }`,
  );
  return { bytes: head(random, `GET /graphql?query=${text}`, []), answer: echo(name) };
}

const echo = (name: string): Answer => ({ status: 200, holds: `"${name}":"Query"` });

function bodyOf(random: Random, name: string): Buffer {
  const padding = random.chance(10) ? '#'.repeat(random.below(40_000)) : '';
  return Buffer.from(JSON.stringify({ query: `{ ${name}: __typename } ${padding}` }));
}

function posted(random: Random, name: string): Sent {
  const body = bodyOf(random, name);
  const bytes = head(random, 'POST /graphql', [JSON_TYPE, `Content-Length: ${body.length}`]);
  return { bytes: Buffer.concat([bytes, body]), answer: echo(name) };
}

function expecting(random: Random, name: string): Sent {
  const body = bodyOf(random, name);
  const fields = [JSON_TYPE, 'Expect: 100-continue', `Content-Length: ${body.length}`];
  return { bytes: Buffer.concat([head(random, 'POST /graphql', fields), body]), answer: echo(name) };
}

function chunked(random: Random, name: string): Sent {
  const bytes = head(random, 'POST /graphql', [JSON_TYPE, 'Transfer-Encoding: chunked']);
  return { bytes: Buffer.concat([bytes, chunksOf(random, bodyOf(random, name))]), answer: echo(name) };
}

/** Every form of chunks that RFC 9112 §7.1 allows. */
function chunksOf(random: Random, body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const size = 1 + random.below(Math.max(1, body.length - at));
    const hex = random.of([size.toString(16), size.toString(16).toUpperCase(), `000${size.toString(16)}`]);
    const extension = random.chance(20) ? random.of([';a', ';a=b', ';a="b c"']) : '';
    parts.push(Buffer.from(`${hex}${extension}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  const trailer = random.chance(20) ? 'X-Trailer: one\r\n' : '';
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

function plain(random: Random, name: string): Sent {
  const [line, answer] = random.of<[string, Answer]>([
    ['GET /health/ready', { status: 200, holds: 'ready' }],
    ['GET /health/live', { status: 200, holds: 'live' }],
    ['HEAD /health/live', { status: 200, bodyless: true }],
    ['OPTIONS /graphql', { status: 204, bodyless: true }],
    [`GET /nowhere/${name}`, { status: 404, holds: '404' }],
    ['DELETE /graphql', { status: 405 }],
    ['GET /v1/events', { status: 401 }],
    [`GET /v1/catalog/search?q=${name}`, { status: 200, holds: `"query":"${name}"` }],
  ]);
  return { bytes: head(random, line, []), answer };
}

/** Whole bodies that nobody reads. */
function refused(random: Random, name: string): Sent {
  const body = bodyOf(random, name);
  const type = random.of([[], ['Content-Type: text/plain'], ['Content-Type: application/x-ndjson']]);
  const path = random.of(['/graphql', '/v1/auth/login']);
  if (random.chance(50)) {
    const bytes = head(random, `POST ${path}`, [...type, `Content-Length: ${body.length}`]);
    return { bytes: Buffer.concat([bytes, body]), answer: { status: 415 } };
  }
  const bytes = head(random, `POST ${path}`, [...type, 'Transfer-Encoding: chunked']);
  return { bytes: Buffer.concat([bytes, chunksOf(random, body)]), answer: { status: 415 } };
}

/** What a connection ends with. */
export function endOf(random: Random, name: string): End {
  return random.of([
    socket,
    socket,
    socket,
    refusedSocket,
    stream,
    tunnel,
    garbage,
    badHead,
    badHead,
    badChunks,
    badChunks,
  ])(random, name);
}

const SOCKET = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
];

const bare = (line: string, fields: readonly string[]): Buffer =>
  Buffer.from(`${[`${line} HTTP/1.1`, 'Host: gateway', ...fields].join('\r\n')}\r\n\r\n`);

/** A frame of a client (RFC 6455 §5.2): final, text, masked with zeroes. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function socket(): End {
  const bytes = Buffer.concat([bare('GET /graphql', SOCKET), frame('{"type":"connection_init"}')]);
  return { bytes, outcome: { kind: 'acknowledged' } };
}

function refusedSocket(random: Random, name: string): End {
  const without = (field: string): string[] => SOCKET.filter((line) => !line.startsWith(field));
  const [bytes, status] = random.of([
    [bare(`GET /nowhere/${name}`, SOCKET), 404],
    [bare('GET /graphql', without('Sec-WebSocket-Key')), 400],
    [bare('GET /graphql', without('Sec-WebSocket-Version')), 400],
    [bare('GET /graphql', [...SOCKET, 'Origin: https://elsewhere.example']), 403],
  ] as [[Buffer, number], ...[Buffer, number][]]);
  const more = random.chance(50) ? frame('{"type":"connection_init"}') : Buffer.alloc(0);
  return { bytes: Buffer.concat([bytes, more]), outcome: { kind: 'answered', answer: { status } } };
}

function tunnel(random: Random): End {
  const bytes = bare('CONNECT elsewhere.example:443', []);
  return {
    bytes: Buffer.concat([bytes, random.bytes(random.below(50))]),
    outcome: { kind: 'answered', answer: { status: 404 } },
  };
}

function stream(): End {
  const text = encodeURIComponent('subscription { catalogChanged { id } }');
  return { bytes: bare(`GET /graphql?query=${text}`, ['Accept: text/event-stream']), outcome: { kind: 'stream' } };
}

function garbage(random: Random): End {
  return {
    bytes: Buffer.concat([Buffer.from([0]), random.bytes(1 + random.below(200)), Buffer.from('\r\n\r\n')]),
    outcome: { kind: 'closed' },
  };
}

function badHead(random: Random): End {
  const text = random.of([
    'GET / HTTP/9.9\r\n\r\n',
    'get / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET  / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA: \u0000\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n',
    'POST /graphql HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ]);
  return { bytes: Buffer.from(text, 'latin1'), outcome: { kind: 'closed' } };
}

function badChunks(random: Random): End {
  const type = random.of([[JSON_TYPE], [], ['Content-Type: application/x-ndjson']]);
  const bytes = head(random, 'POST /graphql', [...type, 'Transfer-Encoding: chunked']);
  const chunks = random.of([
    '5\r\n{"que\r\nxyz\r\n',
    '5\r\n{"querytoo long',
    '-1\r\n',
    '\r\n\r\n',
    'g\r\n',
    'ffffffffffffffffff\r\n',
    '5;\u0000\r\nabcde\r\n',
  ]);
  return { bytes: Buffer.concat([bytes, Buffer.from(chunks, 'latin1')]), outcome: { kind: 'closed' } };
}
