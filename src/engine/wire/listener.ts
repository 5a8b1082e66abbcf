// Listens on a socket file or a loopback port and hands each connection to the dispatcher.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandDispatcher } from '../commands/dispatch.js';
import type { Engine } from '../engine.js';
import { inUse } from '../store/folder-error.js';
import { Connection } from './connection.js';

/** Where to listen. */
export interface Address {
  host?: string;
  port?: number;
  socketPath?: string;
}

/** Longest path of a socket address; Node 20 truncates longer ones without an error. */
const MAX_SOCKET_PATH = 107;
const SOCKET_FILE = 'engine.sock';

/** A listening engine. */
export interface Listening {
  /** host:port, or the path of the socket file, for connection strings. */
  address: string;
  uri: string;
  close(): Promise<void>;
}

/** The folder of a data folder's socket files: itself, or a short private one if the longest path is too long for a socket. */
export function socketFolderFor(dataDir: string, longest = SOCKET_FILE): string {
  if (Buffer.byteLength(join(dataDir, longest)) <= MAX_SOCKET_PATH) return dataDir;
  const hash = createHash('sha256').update(join(dataDir, SOCKET_FILE)).digest('hex');
  const short = join(tmpdir(), `engine-${hash.slice(0, 16)}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  chmodSync(short, 0o700);
  return short;
}

/** The socket file of the engine that serves a data folder. */
export const socketPathFor = (dataDir: string): string => join(socketFolderFor(dataDir), SOCKET_FILE);

/** Whether a process accepts connections on a socket file. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Connection string of an engine on a socket file. */
export const socketUri = (path: string): string => `mongodb://${encodeURIComponent(path)}/?directConnection=true`;

/** Starts listening. Throws DataFolderError (InUse) when another engine uses the socket file. */
export async function listen(engine: Engine, dispatcher: CommandDispatcher, at: Address): Promise<Listening> {
  const open = new Set<Connection>();
  let nextId = 1;
  let address = '';
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    const id = nextId++;
    const client = { id, appName: undefined, address, closed: false, metadata: undefined };
    const connection = new Connection(socket, dispatcher, client);
    open.add(connection);
    engine.connections = open.size;
    socket.on('close', () => {
      open.delete(connection);
      engine.connections = open.size;
    });
  });
  address = at.socketPath === undefined ? await listenTcp(server, at) : await listenFile(server, at.socketPath);
  return {
    address,
    uri: at.socketPath === undefined ? `mongodb://${address}/?replicaSet=rs0` : socketUri(address),
    close: () => closeServer(server, open, at.socketPath),
  };
}

/** Resolves when `begin` has made a server listen. */
export function started(server: Server, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    begin();
  });
}

async function listenTcp(server: Server, { host = '127.0.0.1', port = 0 }: Address): Promise<string> {
  await started(server, () => server.listen(port, host));
  const bound = server.address();
  return `${host.includes(':') ? `[${host}]` : host}:${typeof bound === 'object' && bound ? bound.port : port}`;
}

async function listenFile(server: Server, path: string): Promise<string> {
  if (existsSync(path)) {
    if (await isListening(path)) throw inUse(dirname(path));
    rmSync(path, { force: true });
  }
  await started(server, () => server.listen(path));
  chmodSync(path, 0o600);
  return path;
}

async function closeServer(server: Server, open: Set<Connection>, socketPath: string | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const connection of open) connection.close();
  await closed;
  if (socketPath !== undefined) rmSync(socketPath, { force: true });
}
