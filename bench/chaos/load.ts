// Partners that issue all the time, each issuance under a key of its own until it is acknowledged, and clients that listen to all of it.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { OPERATOR_KEY } from '../gateway-process.js';

export const CREDENTIAL = 'chaos-credential';
const OPERATOR = { 'x-admin-api-key': OPERATOR_KEY };
const REQUEST_TIMEOUT_MS = 30_000;
const RETRY_MS = 100;
const POLL_MS = 20;
/** The types of events that listeners follow. */
export const FOLLOWED = ['submitted', 'revoked'];

/** Who issues, and for whom. */
export interface Issuing {
  issuerDid: string;
  token(): Promise<string>;
}

async function put(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...OPERATOR };
  const answer = await fetch(`${url}/v1/admin/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) });
  const record = (await answer.json()) as Record<string, unknown>;
  if (!answer.ok) throw new Error(`PUT ${path} failed: ${JSON.stringify(record)}`);
  return record;
}

/** Registers an issuer with one credential, and a partner that may issue it. */
export async function prepare(url: string): Promise<Issuing> {
  const issuer = await put(url, 'issuers/chaos', { name: 'Chaos', issuerFrom: 'chaos', managed: true });
  const issuerDid = String(issuer.issuerDid);
  const note = { name: 'note', type: 'string', isRequired: true, description: '' };
  await put(url, 'schemas/chaos', { title: 'Chaos', description: '', dataPoints: [note] });
  const credential = { name: 'Chaos', category: 'Chaos', issuerId: 'chaos', schemaId: 'chaos' };
  await put(url, `credentials/${CREDENTIAL}`, credential);
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }];
  const partnerId = randomUUID();
  const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true };
  await put(url, `partners/${partnerId}`, { name: 'Chaos', jwks: { keys }, allowedOrigins: [], ...rights });
  const token = () =>
    new SignJWT({ partnerId, scope: 'issue' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('5m')
      .sign(privateKey);
  return { issuerDid, token };
}

/** Lanes that issue until they are stopped. */
export class Load {
  /** Hashes that were acknowledged, by the key of their issuance. */
  readonly acknowledged = new Map<string, string>();
  /** Keys whose answer changed when it was asked for again. */
  readonly changed: string[] = [];
  /** Answers that are neither an acknowledgement nor a reason to come back. */
  readonly wrong: string[] = [];
  retries = 0;
  #running = true;
  #lanes: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly issuing: Issuing,
    private readonly urls: readonly string[],
  ) {}

  start(lanes: number): void {
    const lane = async (): Promise<void> => {
      while (this.#running) await this.#issue();
    };
    this.#lanes = Promise.all(Array.from({ length: lanes }, lane));
  }

  /** Resolves when more than so many are acknowledged: however slow the machine is, each round meets work. */
  async moreThan(count: number): Promise<void> {
    while (this.acknowledged.size <= count) await delay(POLL_MS);
  }

  /** Begins nothing any more; resolves when all that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#lanes;
  }

  /** Whether the catalog counts all that was acknowledged. */
  async isCounted(): Promise<boolean> {
    const answer = await fetch(`${this.urls[0]}/v1/catalog/credentials/${CREDENTIAL}`).catch(() => undefined);
    if (!answer?.ok) return false;
    const { data } = (await answer.json()) as { data: { traction: { issuanceCount: number } } };
    return data.traction.issuanceCount >= this.acknowledged.size;
  }

  /** One issuance, at any gateway, again and again under its key until it is acknowledged; then once more. */
  async #issue(): Promise<void> {
    const key = randomUUID();
    for (;;) {
      const hash = await this.#ask(key);
      if (hash !== undefined) {
        const earlier = this.acknowledged.get(key);
        if (earlier !== undefined && earlier !== hash) this.changed.push(key);
        if (earlier !== undefined) return;
        this.acknowledged.set(key, hash);
        if (Math.random() < 0.5) return;
      } else await delay(RETRY_MS);
    }
  }

  #noteWrong(answer: string): void {
    this.wrong.push(answer);
    console.log(`a wrong answer: ${answer}`);
  }

  async #ask(key: string): Promise<string | undefined> {
    const body = {
      issuerDid: this.issuing.issuerDid,
      credentialId: CREDENTIAL,
      credentialSubject: { note: key },
      email: `${key}@example.org`,
    };
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': key,
      'x-partner-auth': await this.issuing.token(),
    };
    const url = this.urls[Math.floor(Math.random() * this.urls.length)];
    try {
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const request = { method: 'POST', headers, body: JSON.stringify(body), signal };
      const answer = await fetch(`${url}/v1/credentials/issue-on-behalf`, request);
      const text = await answer.text();
      if (answer.status === 200) return String((JSON.parse(text) as { coreClaimHash: string }).coreClaimHash);
      this.retries += 1;
      if (answer.headers.get('retry-after') === null) this.#noteWrong(`${answer.status} ${text}`);
    } catch {
      // Killed, paused, or away.
      this.retries += 1;
    }
    return undefined;
  }
}

/** One client of the event log, which comes back with the last id that it saw. */
export class Listener {
  /** Type and hash of each event that it was told of, in order. */
  readonly told: string[] = [];
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  #last: string | undefined;
  #begun: () => void = () => {};
  /** Resolves when it knows where the log begins. */
  readonly begun = new Promise<void>((resolve) => {
    this.#begun = resolve;
  });

  constructor(private readonly url: string) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      await this.#follow(signal).catch(() => {});
      await delay(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const after = this.#last === undefined ? await this.#beginning(signal) : this.#last;
    const headers = { ...OPERATOR, accept: 'text/event-stream', 'last-event-id': after };
    const answer = await fetch(`${this.url}/v1/events?types=${FOLLOWED}`, { headers, signal });
    if (!answer.ok || answer.body === null) return void (await answer.text());
    let text = '';
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) this.#hear(frame);
    }
  }

  /** The newest place before anything was issued. */
  async #beginning(signal: AbortSignal): Promise<string> {
    const answer = await fetch(`${this.url}/v1/events?types=${FOLLOWED}`, { headers: OPERATOR, signal });
    const { items, nextAfter } = (await answer.json()) as { items: object[]; nextAfter: string };
    if (!answer.ok || items.length > 0) throw new Error('a listener must begin before anything is issued');
    this.#last = nextAfter;
    this.#begun();
    return nextAfter;
  }

  #hear(frame: string): void {
    const id = /^id: (.+)$/m.exec(frame)?.[1];
    if (id !== undefined) this.#last = id;
    const data = /^data: (.+)$/m.exec(frame)?.[1];
    if (id === undefined || data === undefined) return;
    const { type, coreClaimHash } = JSON.parse(data) as { type: string; coreClaimHash: string };
    this.told.push(`${type} ${coreClaimHash}`);
  }
}
