// A proxy for TCP connections to the store. It can cut them, or stop transferring data, as networks and stalled stores do.
import { connect, createServer, type Socket } from 'node:net';
import { PATIENT_DRIVER } from './gateway.js';

export interface CutProxy {
  /** The store's address through the proxy. */
  uri: string;
  /** Open connections. */
  readonly connections: number;
  /** Cuts every connection that is open. */
  cut(): void;
  /** Transfers nothing any more in either direction; connections stay open and new ones are accepted. */
  hold(): void;
  /** Transfers again, beginning with what was held. */
  release(): void;
  close(): Promise<void>;
}

/** Opens a proxy in front of the store at this address. */
export async function openCutProxy(uri: string): Promise<CutProxy> {
  const target = new URL(uri);
  const sockets = new Set<Socket>();
  let holds = false;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('data', (bytes) => void other.write(bytes));
      if (holds) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const proxied = new URL(uri);
  proxied.port = String(typeof address === 'object' && address ? address.port : 0);
  // Otherwise the driver would ask the store for its own address and connect there.
  proxied.searchParams.set('directConnection', 'true');
  for (const option of Object.keys(PATIENT_DRIVER)) proxied.searchParams.delete(option);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    uri: proxied.toString(),
    get connections() {
      return sockets.size / 2;
    },
    cut,
    hold: () => {
      holds = true;
      for (const socket of sockets) socket.pause();
    },
    release: () => {
      holds = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
