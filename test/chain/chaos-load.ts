// What goes on while senders are killed: issuances, revocations, verifications, core ids and deployments, spread over the whole run.
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makeKey, register } from '../accounts/support.js';
import type { RestAnswer } from '../support/gateway.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { logIn } from '../support/partner.js';
import { persistently } from '../support/persistently.js';
import { holdersOf, verifyOne } from '../verification/processes.js';
import type { HeldCredential, Holder, Reach } from '../verification/world.js';

/** How much there is of everything. */
export interface Counts {
  issuances: number;
  revocations: number;
  verifications: number;
  /** Holders of wallets: each claims a core id and has its account deployed. */
  wallets: number;
  kills: number;
  reorganisations: number;
}

type Gateways = readonly [GatewayProcess, GatewayProcess];
type Headers = Record<string, string>;

/** Answers of a holder in ten minutes are 30; one that a killed gateway has begun counts too. */
const OF_HOLDER = 5;
const LANES = 8;
const POLL_MS = 50;
/** A revocation finds its claim before, in or after its batch. */
const REVOKED_WITHIN_MS = 12_000;

/** The load, and what it was told. */
export class ChaosLoad {
  /** Hashes of claims, those of the holders that are verified included. */
  readonly claims: string[] = [];
  readonly revoked = new Set<string>();
  readonly verified: string[] = [];
  readonly refused: RestAnswer[] = [];
  readonly #worlds: readonly [Reach, Reach];
  #verifiable: [Holder, HeldCredential][] = [];
  #wallets: Headers[] = [];
  #count = 0;
  #done = 0;

  constructor(
    private readonly world: Reach,
    private readonly gateways: Gateways,
    private readonly counts: Counts,
  ) {
    this.#worlds = [
      { ...world, gateway: gateways[0] },
      { ...world, gateway: gateways[1] },
    ];
  }

  /** Sessions of the holders of wallets. */
  get wallets(): readonly Headers[] {
    return this.#wallets;
  }

  /** Registers holders, their credentials and wallets, while nothing is killed yet. */
  async prepare(): Promise<void> {
    this.#verifiable = await holdersOf(this.world, Math.ceil(this.counts.verifications / OF_HOLDER));
    this.claims.push(...this.#verifiable.map(([, { coreClaimHash }]) => coreClaimHash));
    for (let at = 0; at < this.counts.wallets; at += 1) this.#wallets.push(await this.#newWallet());
  }

  /** How much of it is done, 0 to 1. */
  get done(): number {
    return this.#count === 0 ? 0 : this.#done / this.#count;
  }

  /** Does everything; begins no more than a share of it, `released` of 1, and what the lanes hold. */
  async run(released: () => number): Promise<void> {
    const works = shuffled(this.#works());
    this.#count = works.length;
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < works.length) {
        const at = next++;
        while (at > released() * works.length + LANES) await delay(POLL_MS);
        await works[at]?.();
        this.#done += 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  #works(): (() => Promise<void>)[] {
    const { issuances, revocations, verifications } = this.counts;
    const many = (count: number, work: (at: number) => Promise<void>) =>
      Array.from({ length: count }, (_, at) => () => work(at));
    return [
      ...many(issuances, (at) => this.#issue(at < revocations)),
      ...many(verifications, (at) => this.#verify(at)),
      ...this.#wallets.flatMap((headers) => [
        () => this.#ask('/v1/holders/me/core-id', headers, [202]),
        // 409: it is deployed already.
        () => this.#ask('/v1/holders/me/account/deploy', headers, [200, 202, 409]),
      ]),
    ];
  }

  async #issue(thenRevoke: boolean): Promise<void> {
    const key = { 'idempotency-key': randomUUID() };
    const credentialSubject = { level: 1, since: '2026-01-01' };
    const email = `${randomUUID()}@example.org`;
    const body = { issuerDid: this.world.issuerDid, credentialId: 'member', credentialSubject, email };
    const answer = await this.#asIssuer('/v1/credentials/issue-on-behalf', body, key);
    const { coreClaimHash } = answer.body;
    this.claims.push(coreClaimHash);
    if (!thenRevoke) return;
    this.revoked.add(coreClaimHash);
    await delay(randomInt(REVOKED_WITHIN_MS));
    await this.#asIssuer('/v1/credentials/revoke', { coreClaimHash });
  }

  async #verify(at: number): Promise<void> {
    const [holder, credential] = this.#verifiable[at % this.#verifiable.length] as [Holder, HeldCredential];
    const [first, second] = this.#worlds;
    const [one, two] = at % 2 === 0 ? [first, second] : [second, first];
    this.verified.push(await verifyOne(one, two, holder, credential));
  }

  async #asIssuer(path: string, body: object, more: Headers = {}): Promise<RestAnswer> {
    const answer = await persistently(async () => {
      const headers = { 'x-partner-auth': await this.world.partner.token(), ...more };
      return this.#any.rest('POST', path, { body, headers });
    });
    if (answer.status !== 200) this.refused.push(answer);
    return answer;
  }

  async #ask(path: string, headers: Headers, expected: readonly number[]): Promise<void> {
    const answer = await persistently(() => this.#any.rest('POST', path, { headers }));
    if (!expected.includes(answer.status)) this.refused.push(answer);
  }

  get #any(): GatewayProcess {
    return this.gateways[randomInt(2)] ?? this.gateways[0];
  }

  async #newWallet(): Promise<Headers> {
    const { asGateway } = this.gateways[0];
    const token = await logIn(asGateway, this.world.partner, `${randomUUID()}@example.org`);
    const headers = { authorization: `Bearer ${token}` };
    const gql = async (query: string, variables?: Record<string, unknown>) =>
      (await asGateway.rest('POST', '/graphql', { body: { query, variables }, headers })).body;
    const key = await makeKey();
    await register({ gql }, key.address, (message) => key.sign(message));
    return headers;
  }
}

function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}
