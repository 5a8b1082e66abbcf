// Which request a piece of work belongs to, wherever it is done: what a command to the store is charged to. Work without one is the gateway's own.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import { ANONYMOUS, type Caller } from './caller.js';

/** One request, or one operation over a socket. */
export class RequestScope {
  /** Set when the answer was sent, or the client has gone: nobody waits any more. */
  hasEnded = false;
  readonly #calls = new Set<() => void>();

  /** `address`: the client's IP address. `caller`: anonymous until it is known who calls. */
  constructor(
    readonly address: string,
    public caller: Caller = ANONYMOUS,
  ) {}

  /** Calls when the scope ends; the function that is returned takes that back. */
  onEnd(call: () => void): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  end(): void {
    this.hasEnded = true;
    for (const call of this.#calls) call();
    this.#calls.clear();
  }
}

const SCOPES = new AsyncLocalStorage<RequestScope | undefined>();

/** The scope that this runs in. */
export function currentScope(): RequestScope | undefined {
  return SCOPES.getStore();
}

/** Does some work in a scope; undefined: as the gateway's own. */
export function inScope<T>(scope: RequestScope | undefined, work: () => T): T {
  return SCOPES.run(scope, work);
}

/** Tells the scope that this runs in who calls. */
export function setCaller(caller: Caller): void {
  const scope = SCOPES.getStore();
  if (scope) scope.caller = caller;
}

/** Gives each request a scope of its own, but for those that ask how the gateway is: nothing stands before them. */
export function scopeRequests(app: FastifyInstance): void {
  app.decorateRequest('scope');
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/health/')) return done();
    const scope = new RequestScope(request.ip);
    request.setDecorator('scope', scope);
    reply.raw.once('close', () => scope.end());
    inScope(scope, done);
  });
  // A body comes from its connection, which knows nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    inScope(request.getDecorator<RequestScope | undefined>('scope'), done);
  });
}
