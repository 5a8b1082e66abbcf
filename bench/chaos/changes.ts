// What operators do meanwhile: entries of the catalog are written, retired and written again, and issuances are revoked; each until it is
// acknowledged.
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATOR_KEY } from '../gateway-process.js';
import type { Load } from './load.js';

const ENTRIES = 12;
const RETRY_MS = 100;
const REQUEST_TIMEOUT_MS = 30_000;
const PAUSE_MS = 20;
/** Of ten issuances, so many are revoked. */
const REVOKED = 3;

/** An entry as its last acknowledged write left it. */
export interface Written {
  name: string;
  live: boolean;
}

export class Changes {
  /** Credentials by their ids. */
  readonly written = new Map<string, Written>();
  /** Hashes whose revocation was acknowledged. */
  readonly revoked = new Set<string>();
  /** Responses that are neither an acknowledgement nor a reason to come back. */
  readonly wrong: string[] = [];
  #running = true;
  #lanes: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(
    private readonly load: Load,
    private readonly urls: readonly string[],
  ) {}

  start(): void {
    this.#lanes = Promise.all([this.#write(0), this.#write(1), this.#revoke()]);
  }

  /** Begins nothing any more; resolves when all that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#lanes;
  }

  /** Writes every second entry, from this one. No other lane writes them, so the last write is known. */
  async #write(lane: number): Promise<void> {
    for (let at = lane; this.#running; at = (at + 2) % ENTRIES) {
      const id = `entry-${at}`;
      const name = `Entry ${this.#count++}`;
      const body = { name, category: 'Chaos', issuerId: 'chaos', schemaId: 'chaos' };
      const live = this.#count % 4 !== 0 || !this.written.has(id);
      await (live ? this.#send('PUT', `credentials/${id}`, body) : this.#send('DELETE', `credentials/${id}`));
      this.written.set(id, { name: live ? name : (this.written.get(id)?.name ?? ''), live });
      await delay(PAUSE_MS);
    }
  }

  async #revoke(): Promise<void> {
    let next = 0;
    while (this.#running) {
      const hashes = [...this.load.acknowledged.values()];
      for (; next < hashes.length && this.#running; next += 1) {
        if (next % 10 >= REVOKED) continue;
        await this.#send('POST', 'revoke', { coreClaimHash: hashes[next] });
        this.revoked.add(hashes[next] ?? '');
      }
      await delay(RETRY_MS);
    }
  }

  /** Sends a request to any gateway, again and again until it is acknowledged. */
  async #send(method: string, path: string, body?: object): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-admin-api-key': OPERATOR_KEY };
    for (;;) {
      const url = this.urls[Math.floor(Math.random() * this.urls.length)];
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const request = { method, signal, headers: body ? headers : { 'x-admin-api-key': OPERATOR_KEY } };
      try {
        const answer = await fetch(`${url}/v1/admin/${path}`, {
          ...request,
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        // 404: it was retired by a request whose response was lost.
        if (answer.ok || (method === 'DELETE' && answer.status === 404)) return;
        if (answer.headers.get('retry-after') === null) this.wrong.push(`${method} ${path}: ${answer.status} ${text}`);
      } catch {
        // Killed, paused, or away.
      }
      await delay(RETRY_MS);
    }
  }
}
