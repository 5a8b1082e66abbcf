// Two gateways on one store are killed in turn with SIGKILL, also the elected one, while a partner issues through
// whichever is running. Clients that reconnect with `after` receive every event once, and all in the same order.
// `ISSUANCES=1000` takes some minutes.
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerModels } from '../../../src/compose/domains.js';
import { migrate } from '../../../src/store/connection.js';
import { eventually } from '../../support/eventually.js';
import { databaseUri } from '../../support/gateway.js';
import { GatewayProcess } from '../../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';
import { RawSocket } from './raw-socket.js';

const ISSUANCES = Number(process.env.ISSUANCES ?? 24);
const AT_ONCE = Math.min(16, Math.ceil(ISSUANCES / 5));
/** The time between the start of a gateway and the next kill, milliseconds. */
const PEACE = [300, 1_500] as const;

const uri = databaseUri(`test_${randomUUID().slice(0, 8)}`);
const shared = { MONGODB_URI: uri, KEYSTORE_KEY: randomBytes(32).toString('base64'), CHAIN: 'off', ZK: 'off' };
const gateways = [new GatewayProcess(shared), new GatewayProcess(shared)] as const;

beforeAll(async () => {
  const connection = await mongoose.createConnection(uri, { autoIndex: false, autoCreate: false }).asPromise();
  registerModels(connection);
  await migrate(connection);
  await connection.close();
  await Promise.all(gateways.map((gateway) => gateway.start()));
});
afterAll(async () => {
  for (const gateway of gateways) gateway.remove();
  const connection = await mongoose.createConnection(uri).asPromise();
  await connection.dropDatabase();
  await connection.close();
});

const EVENTS = `subscription ($after: ID) {
  issuanceEvents(after: $after, where: { type: { eq: "submitted" } }) {
    id coreClaimHash credential { name issuer { name } }
  }
}`;

/**
 * A client of one gateway, or of the other one while the first is down. After each reconnection it continues behind the
 * last event it has received.
 */
class Follower {
  readonly ids: string[] = [];
  readonly hashes: string[] = [];
  readonly nested = new Set<string>();
  connections = 0;
  #stopped = false;
  #socket: RawSocket | undefined;

  constructor(
    private readonly partner: TestPartner,
    private readonly preferred: readonly GatewayProcess[],
  ) {}

  async run(): Promise<void> {
    while (!this.#stopped) {
      for (const gateway of this.preferred) {
        const headers = { 'x-partner-auth': await this.partner.token() };
        this.#socket = await RawSocket.open(gateway, { init: headers }).catch(() => undefined);
        // It was stopped while the socket was opened.
        if (this.#stopped) this.#socket?.close();
        if (this.#socket) await this.#follow(this.#socket);
        if (this.#stopped) return;
      }
      await delay(20);
    }
  }

  async #follow(socket: RawSocket): Promise<void> {
    this.connections += 1;
    socket.socket.on('message', (text) => this.#take(JSON.parse(String(text))));
    socket.subscribe('1', EVENTS, { after: this.ids.at(-1) });
    await socket.closed;
  }

  #take({ type, payload }: { type: string; payload: { errors?: unknown; data: { issuanceEvents: Seen } } }): void {
    if (type === 'ping' || type === 'pong') return;
    if (type !== 'next' || payload.errors) throw new Error(`not an event: ${type} ${JSON.stringify(payload)}`);
    const { id, coreClaimHash, credential } = payload.data.issuanceEvents;
    this.ids.push(id);
    this.hashes.push(coreClaimHash);
    this.nested.add(`${credential.name} of ${credential.issuer.name}`);
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.close();
  }
}

interface Seen {
  id: string;
  coreClaimHash: string;
  credential: { name: string; issuer: { name: string } };
}

/** Issues one credential, and repeats the request with the same key until a gateway has responded. */
async function issue(partner: TestPartner, issuerDid: string): Promise<string> {
  const key = { 'idempotency-key': randomUUID() };
  const email = `holder-${randomUUID()}@example.org`;
  const body = { issuerDid, credentialId: 'both-credential', credentialSubject: { note: 'x' }, email };
  for (;;) {
    for (const gateway of gateways) {
      const headers = { 'x-partner-auth': await partner.token(), ...key };
      const answer = await gateway
        .rest('POST', '/v1/credentials/issue-on-behalf', { body, headers })
        .catch(() => undefined);
      if (answer?.status === 200) return answer.body.coreClaimHash;
    }
    await delay(100);
  }
}

async function issueAll(partner: TestPartner, issuerDid: string): Promise<string[]> {
  const hashes: string[] = [];
  let left = ISSUANCES;
  const lane = async (): Promise<void> => {
    while (left-- > 0) hashes.push(await issue(partner, issuerDid));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return hashes;
}

/** Kills one gateway after the other until it is stopped; returns how often. */
async function killInTurn(going: () => boolean): Promise<number> {
  let kills = 0;
  for (; going() || kills < gateways.length; kills += 1) {
    const gateway = gateways[kills % 2 === 0 ? 0 : 1];
    await gateway.stop('SIGKILL');
    await gateway.start();
    await delay(randomInt(...PEACE));
  }
  return kills;
}

it('no subscriber misses an event, gets one twice, or gets them in another order, while gateways are restarted', async () => {
  const issuerDid = await registerIssuer(gateways[0].asGateway, 'both');
  const partner = await registerPartner(gateways[0].asGateway, [issuerDid]);
  const followers = [new Follower(partner, gateways), new Follower(partner, [gateways[1], gateways[0]])];
  const following = followers.map((follower) => follower.run());
  // Without `after`, followers receive only what is issued after they have subscribed.
  while (!followers.every(({ hashes }) => hashes.length > 0)) {
    if (followers.every(({ connections }) => connections > 0)) await issue(partner, issuerDid);
    await delay(50);
  }
  const begun = followers.map(({ hashes }) => [...hashes]);
  let issuing = true;
  const killing = killInTurn(() => issuing);
  const issued = await issueAll(partner, issuerDid);
  issuing = false;
  expect(await killing).toBeGreaterThan(1);
  await eventually(() => {
    for (const { hashes } of followers) expect(hashes).toEqual(expect.arrayContaining(issued));
  });
  for (const follower of followers) follower.stop();
  await Promise.all(following);
  const [one, two] = followers.map(({ ids, hashes, nested }, index) => {
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect([...nested]).toEqual(['both of both']);
    const own = new Set(begun[index]);
    return hashes.filter((hash) => !own.has(hash) && issued.includes(hash));
  });
  expect(one).toHaveLength(ISSUANCES);
  expect(two).toEqual(one);
  expect(followers.some(({ connections }) => connections > 1)).toBe(true);
});
