// A server that can misuse a connection as no HTTP server does, and a table of the ways.
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What the server does with a request's connection instead of sending a response. */
export type OddAnswer = (socket: Socket) => void;

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
export const GOOD = `${OK}content-length: 2\r\n\r\n{}`;
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`;
const SWITCHES = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n';

const writes =
  (text: string | Buffer): OddAnswer =>
  (socket) =>
    void socket.write(text);
const ends =
  (text: string): OddAnswer =>
  (socket) =>
    void socket.end(text);
/** Writes a piece again and again without end. */
const drips =
  (first: string, more: string): OddAnswer =>
  (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(more), 5);
    socket.on('close', () => clearInterval(timer));
  };

/** Answers that are no response, or that never end. For each of them a caller gets an error within its time limit. */
export const ODD_ANSWERS: Readonly<Record<string, OddAnswer>> = {
  '101 with Upgrade': writes(SWITCHES),
  '101 with Upgrade, and the end': ends(SWITCHES),
  '101 with Upgrade, and a response in it': writes(SWITCHES + GOOD),
  '101 without Upgrade': writes('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  '100 and nothing else': writes('HTTP/1.1 100 Continue\r\n\r\n'),
  '103 for ever': drips('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  'half its headers': writes('HTTP/1.1 200 OK\r\ncontent-ty'),
  'half its headers, and the end': ends('HTTP/1.1 200 OK\r\ncontent-ty'),
  'headers for ever': drips('HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  'a megabyte of headers': writes(`${OK}${'a: b\r\n'.repeat(170_000)}\r\n`),
  'half its body': writes(`${OK}content-length: 2\r\n\r\n{`),
  'half its body, and the end': ends(`${OK}content-length: 2\r\n\r\n{`),
  'a body without an end': writes(`${OK}\r\n{}`),
  'a body that drips': drips(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  'a chunk without an end': drips(`${OK}transfer-encoding: chunked\r\n\r\n2;`, 'x'),
  'trailers without an end': writes(`${CHUNKED}0\r\nx: 1\r\n`),
  'trailers for ever': drips(`${CHUNKED}0\r\n`, 'x: 1\r\n'.repeat(1_000)),
  'two lengths': writes(`${OK}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`),
  'a length and chunks': writes(`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`),
  'HTTP/2': writes(Buffer.from('000000040000000000', 'hex')),
  'HTTP/0.9': ends('{}'),
  'zero bytes': writes('\0\0\0\0'),
  nothing: () => {},
  'the end': (socket) => void socket.end(),
  'a reset': (socket) => void socket.resetAndDestroy(),
};

export interface OddServer {
  url: string;
  /** If set, each request gets this; otherwise it gets the listener's response. */
  odd: OddAnswer | undefined;
  /** If set, each connection gets this before its first request. */
  oddAtOnce: OddAnswer | undefined;
  /** How many requests were received. */
  requests: number;
  /** Open connections. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Starts the server on a free port of loopback. */
export async function oddServer(listener: RequestListener, host = '127.0.0.1'): Promise<OddServer> {
  const sockets = new Set<Socket>();
  const http: Server = createServer((request, response) => {
    server.requests += 1;
    if (server.odd) server.odd(request.socket);
    else listener(request, response);
  });
  http.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    server.oddAtOnce?.(socket);
  });
  http.listen(0, host);
  await once(http, 'listening');
  const server: OddServer = {
    url: `http://${host}:${(http.address() as AddressInfo).port}`,
    odd: undefined,
    oddAtOnce: undefined,
    requests: 0,
    get connections() {
      return sockets.size;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}
