// Connections that stay open for the next request to the same origin and address. Only requests that may be repeated use them: the other
// side may close a connection at the moment in which a request is sent over it.
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { connect } from './guarded-connection.js';

/** Milliseconds, less than servers usually keep an idle connection (Node's: 5,000). */
const IDLE_MS = 4_000;
/** The most idle connections. If there are more, a connection is closed after its request. */
const MAX_IDLE = 1_000;

/** A checked destination. */
export interface Destination {
  url: URL;
  address: string;
  /** Ends the attempt to connect. */
  signal: AbortSignal;
}

type ConnectionOptions = http.ClientRequestArgs & { destination: Destination };
type OnConnection = (error: Error | null, socket?: Duplex) => void;

/** The connections of one guarded fetch. */
export class ReusedConnections extends http.Agent {
  readonly #idle = new Set<Duplex>();

  constructor() {
    super({ keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' });
  }

  /** The key of connections that requests may share: origin and IP address. */
  override getName(options?: http.ClientRequestArgs): string {
    const { url, address } = (options as ConnectionOptions).destination;
    return `${url.origin} ${address}`;
  }

  override createConnection(options: http.ClientRequestArgs, onConnection: OnConnection): undefined {
    const { url, address, signal } = (options as ConnectionOptions).destination;
    connect(url, address, signal).then(
      (socket) => {
        socket.once('close', () => this.#idle.delete(socket));
        onConnection(null, socket);
      },
      (error: Error) => onConnection(error),
    );
  }

  /** Whether the connection stays open. */
  override keepSocketAlive(socket: Duplex): boolean {
    if (this.#idle.size >= MAX_IDLE) return false;
    // The declared type is wrong: false closes the connection (Node.js, http.Agent).
    const staysOpen = Boolean(super.keepSocketAlive(socket) as unknown);
    if (staysOpen) this.#idle.add(socket);
    return staysOpen;
  }

  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    this.#idle.delete(socket);
    super.reuseSocket(socket, request);
  }
}
