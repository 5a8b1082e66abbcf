// A receiver as a partner writes one: an HTTP server that verifies every delivery with the package `standardwebhooks` and nothing else.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';

export interface Received {
  id: string;
  path: string;
  type: string;
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape.
  data: any;
  signatures: number;
}

/** What the receiver answers: a status, or a handler for the misbehaved. */
export type Answer = number | ((response: ServerResponse, received: Received) => void);

export class Receiver {
  /** Verified deliveries in the order of their arrival, repeated ones too. */
  readonly received: Received[] = [];
  /** Deliveries that did not verify. */
  readonly forged: string[] = [];
  answer: Answer = 204;
  /** Secrets by path. */
  readonly secrets = new Map<string, string>();
  readonly #sockets = new Set<{ destroy(): void }>();
  #server: Server | undefined;
  #port = 0;

  /** Starts it, again at the same port after a stop. */
  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#receive(request, response));
    server.on('connection', (socket) => this.#sockets.add(socket.on('close', () => this.#sockets.delete(socket))));
    // Another program may have the port for a moment.
    await eventually(async () => {
      const listening = once(server, 'listening');
      server.listen(this.#port, '127.0.0.1');
      await listening;
    });
    this.#server = server;
    this.#port = (server.address() as { port: number }).port;
    return this;
  }

  /** Kills it: connections that are open break. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  ids(): string[] {
    return [...new Set(this.received.map(({ id }) => id))];
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = request.url ?? '/';
      const body = await text(request);
      const received = this.#verified(path, body, request.headers as Record<string, string>);
      if (received === undefined) response.writeHead(401).end();
      else if (typeof this.answer === 'number') response.writeHead(this.answer).end();
      else this.answer(response, received);
    } catch {
      // The connection broke; it is tried again.
      response.destroy();
    }
  }

  #verified(path: string, body: string, headers: Record<string, string>): Received | undefined {
    try {
      const event = new Webhook(this.secrets.get(path) ?? '').verify(body, headers) as Omit<Received, 'id'>;
      const signatures = headers['webhook-signature']?.split(' ').length ?? 0;
      const received = { ...event, id: headers['webhook-id'] ?? '', path, signatures };
      this.received.push(received);
      return received;
    } catch {
      this.forged.push(body);
      return undefined;
    }
  }
}
