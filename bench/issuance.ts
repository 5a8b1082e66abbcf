// What issuing costs against its own parts: the bare transaction through the driver, and the bare cryptography, 32 at once; what storing
// costs against a bare insert; what the check of a token costs that was seen before.
import { execFileSync } from 'node:child_process';
import { createCipheriv, diffieHellman, generateKeyPairSync, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { CompactSign, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import { startEngine } from './engine-process.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { moduleOf } from './modules.js';
import { type Bar, timed } from './report.js';

const AT_ONCE = 32;
const ISSUANCES = 1_600;
const CREDENTIALS = 100;
/** Popular and many take turns in this many blocks each, so that both meet the same moments of the machine. */
const BLOCKS = 4;
const CHECKS = 20_000;
const PARTNER = randomUUID();
/** A token is replaced after so long: the gateway accepts none that is valid for more than 15 minutes. */
const TOKEN_MS = 10 * 60_000;

/** Runs `count` pieces of work, AT_ONCE at a time. */
export async function many(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** A partner who may issue, and what it issues. */
export interface Issuing {
  issuerDid: string;
  token: string;
  post(path: string, body: object): Promise<Record<string, unknown>>;
}

export interface Setting extends Issuing {
  client: MongoClient;
  /** The gateway's database. */
  uri: string;
}

/** Registers a partner that may issue for an issuer. @param partnerId a UUID */
export async function registered(
  gateway: GatewayProcess,
  issuerDid: string,
  partnerId: string,
): Promise<Omit<Issuing, 'issuerDid'>> {
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const rights = {
    scopes: ['issue'],
    issuerDids: [issuerDid],
    issueOnBehalf: true,
    allowedOrigins: [],
    requireTyp: true,
  };
  await gateway.put(`partners/${partnerId}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
  const sign = (): Promise<string> =>
    new SignJWT({ partnerId, scope: 'issue' })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('14m')
      .sign(keys.privateKey);
  return { token: await sign(), post: poster(gateway.url, renewing(sign)) };
}

/** Signs a token, and another one before it expires. */
function renewing(sign: () => Promise<string>): () => Promise<string> {
  let [token, until] = [sign(), performance.now() + TOKEN_MS];
  return () => {
    if (performance.now() > until) [token, until] = [sign(), performance.now() + TOKEN_MS];
    return token;
  };
}

/** @param more members of its credentials. */
export async function prepareIssuing(gateway: GatewayProcess, more: object = {}): Promise<Issuing> {
  const issuerDid = String(
    (await gateway.put('issuers/bench', { name: 'Bench', issuerFrom: 'bench', managed: true })).issuerDid,
  );
  const { token, post } = await registered(gateway, issuerDid, PARTNER);
  const point = { name: 'note', type: 'string', isRequired: true, description: '' };
  await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints: [point] });
  const credential = { name: 'Bench', category: 'Bench', issuerId: 'bench', schemaId: 'bench', ...more };
  for (let i = 0; i < CREDENTIALS; i += 1) await gateway.put(`credentials/bench-${i}`, credential);
  return { issuerDid, token, post };
}

export async function prepare(gateway: GatewayProcess, client: MongoClient, uri: string): Promise<Setting> {
  return { ...(await prepareIssuing(gateway)), client, uri };
}

/** Posts JSON as the partner, over connections that stay open: a client of its own costs little of the two cores. */
function poster(url: string, token: () => Promise<string>): Issuing['post'] {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  return async (path, body) => {
    const headers = { 'content-type': 'application/json', 'x-partner-auth': await token() };
    return new Promise((resolve, reject) => {
      const sent = request(url + path, { method: 'POST', agent, headers }, (answer) => {
        json(answer).then((read) => {
          if (answer.statusCode && answer.statusCode < 300) resolve(read as Record<string, unknown>);
          else reject(new Error(`POST ${path} failed: ${JSON.stringify(read)}`));
        }, reject);
      });
      sent.on('error', reject).end(JSON.stringify(body));
    });
  };
}

/** Holders to issue to, made beforehand: a partner issues to people it knows. */
export async function holders({ post }: Issuing, count: number): Promise<{ userId: string; did: string }[]> {
  const made: { userId: string; did: string }[] = [];
  await many(count, async (i) => {
    const { userId, did } = await post('/v1/auth/initialize-user', { email: `holder-${i}@bench.example` });
    made.push({ userId: String(userId), did: String(did) });
  });
  return made;
}

/** The writes of one issuance and nothing else. */
async function bareTransaction(client: MongoClient, index: number): Promise<void> {
  const db = client.db('bare');
  const data = Buffer.alloc(1_500, index);
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await db.collection('issuances').findOne({ holderId: `h${index}`, live: true }, { session });
      await db
        .collection('issuances')
        .insertOne({ hash: randomUUID(), holderId: `h${index}`, live: true, createdAt: new Date() }, { session });
      await db.collection('stored').insertOne({ holderId: `h${index}`, data, createdAt: new Date() }, { session });
      const first = (of: string) => ({
        updateOne: { filter: { _id: `${of} ${index}` as never }, update: { $setOnInsert: { of } }, upsert: true },
      });
      await db.collection('firsts').bulkWrite([first('credential'), first('issuer')], { session });
      await db.collection('events').insertMany([{ type: 'submitted' }, { type: 'stored' }], { session });
    }),
  );
}

async function cryptography(): Promise<() => Promise<void>> {
  const { privateKey } = await generateKeyPair('ES256');
  const holder = generateKeyPairSync('x25519');
  const document = Buffer.alloc(1_000, 'x');
  const sign = (text: Buffer) => new CompactSign(text).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  return async () => {
    const vc = await sign(document);
    const ephemeral = generateKeyPairSync('x25519');
    const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: holder.publicKey });
    const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'data-enc-aes-256-gcm', 32));
    const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
    Buffer.concat([cipher.update(vc), cipher.final()]);
    await sign(document.subarray(0, 200));
  };
}

export const issue = ({ post, issuerDid }: Issuing, userId: string, credential: number) =>
  post('/v1/credentials/issue-on-behalf', {
    issuerDid,
    credentialId: `bench-${credential}`,
    credentialSubject: { note: 'bench' },
    userId,
  });

async function* bars(setting: Setting): AsyncIterable<Bar> {
  const people = await holders(setting, 2 * ISSUANCES);
  const user = (i: number): string => people[i % ISSUANCES]?.userId ?? '';
  const crypto = await cryptography();
  // Each in turn warmed a little, so that neither pays for the other's first steps.
  await many(64, (i) => issue(setting, user(i), CREDENTIALS - 1));
  await many(64, (i) => bareTransaction(setting.client, -1 - i));
  const transactions = await timed(() => many(ISSUANCES, (i) => bareTransaction(setting.client, i)));
  const signing = await timed(() => many(ISSUANCES, crypto));
  const whole = await timed(() => many(ISSUANCES, (i) => issue(setting, user(i), 1 + (i % (CREDENTIALS - 2)))));
  const rate = (ms: number): string => `${Math.round((ISSUANCES / ms) * 1_000)}/s`;
  yield {
    name: 'issue-on-behalf against its bare transaction and cryptography, 32 at once',
    measured: whole / (transactions + signing),
    limit: 1.5,
    holds: 'at most',
    unit: '',
    detail: `${rate(whole)} against ${rate(transactions)} and ${rate(signing)}`,
  };
  yield await popularity(setting, people.slice(ISSUANCES));
  yield* storing(setting, people);
}

/** One popular credential against a hundred, to the same people: every issuance is the first of its kind to its holder. */
async function popularity(setting: Setting, people: readonly { userId: string }[]): Promise<Bar> {
  const user = (i: number): string => people[i]?.userId ?? '';
  // All have something of the issuer before, so that neither side pays for that row.
  await many(people.length, (i) => issue(setting, user(i), CREDENTIALS - 1));
  const perBlock = people.length / BLOCKS;
  let [popular, spread] = [0, 0];
  for (let block = 0; block < BLOCKS; block += 1) {
    const from = block * perBlock;
    popular += await timed(() => many(perBlock, (i) => issue(setting, user(from + i), 0)));
    spread += await timed(() => many(perBlock, (i) => issue(setting, user(from + i), 1 + (i % (CREDENTIALS - 2)))));
  }
  const rate = (ms: number): string => `${Math.round((people.length / ms) * 1_000)}/s`;
  return {
    name: 'issuing one popular credential against ninety-eight',
    measured: popular / spread,
    limit: 1.15,
    holds: 'at most',
    unit: '',
    detail: `${rate(popular)} against ${rate(spread)}`,
  };
}

async function* storing({ post, client, token, uri }: Setting, people: readonly { did: string }[]): AsyncIterable<Bar> {
  const ephemeral = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' });
  const parts = { data: randomBytes(2_000), iv: randomBytes(12), authTag: randomBytes(16), encryptedKey: ephemeral };
  const base64 = Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]));
  const package_ = (i: number) => ({
    holderDid: people[i % people.length]?.did ?? '',
    schemaId: 'bench',
    expiresAt: null,
    externalId: randomUUID(),
    ...base64,
  });
  const insert = (i: number) =>
    client
      .db('bare')
      .collection('packages')
      .insertOne({ ...package_(i), ...parts });
  const store = (i: number) => post('/v1/dstorage/vcs', package_(i));
  await many(64, insert);
  await many(64, store);
  let [bare, ours] = [0, 0];
  for (let block = 0; block < BLOCKS; block += 1) {
    bare += await timed(() => many(ISSUANCES / BLOCKS, insert));
    ours += await timed(() => many(ISSUANCES / BLOCKS, store));
  }
  const rate = (ms: number): string => `${Math.round((ISSUANCES / ms) * 1_000)}/s`;
  yield {
    name: 'dstorage/vcs against a bare insert of the same document, 32 at once',
    measured: bare / ours,
    limit: 0.2,
    holds: 'at least',
    unit: '',
    detail: `${rate(ours)} against ${rate(bare)}`,
  };
  const check = await tokenCheck(uri, token);
  yield {
    name: 'the check of a token seen before, of a request to dstorage/vcs',
    measured: (100 * check) / (ours / ISSUANCES),
    limit: 5,
    holds: 'at most',
    unit: '%',
    detail: `${(check * 1_000).toFixed(1)} µs`,
  };
}

/** How long the gateway takes to judge a token that it has judged before, milliseconds; its reads of the partner's record are in it. */
async function tokenCheck(uri: string, token: string): Promise<number> {
  const connection = await mongoose.createConnection(uri).asPromise();
  const [{ PartnerTokens }, { PartnerDirectory }, { PartnerKeySets }, { partnerModels }] = await Promise.all(
    ['token.service', 'directory.service', 'key-sets', 'models'].map((name) => moduleOf(`partners/${name}`)),
  );
  const tokens = new PartnerTokens(new PartnerDirectory(partnerModels(connection)), new PartnerKeySets({}));
  await tokens.verify(token);
  const took = await timed(async () => {
    for (let check = 0; check < CHECKS; check += 1) await tokens.verify(token);
  });
  await connection.close();
  return took / CHECKS;
}

/** Runs a measurement against a gateway and a store of its own. @param settings more of the gateway's environment */
export async function* withSetting<T>(
  measure: (setting: Setting, gateway: GatewayProcess) => AsyncIterable<T>,
  settings: Readonly<Record<string, string>> = {},
): AsyncIterable<T> {
  const engine = await startEngine(scratchFolder());
  const client = await new MongoClient(engine.uri, { writeConcern: { w: 'majority' } }).connect();
  const uri = new URL(engine.uri);
  uri.pathname = '/bench';
  const mongodbUri = uri.toString();
  const dataDir = scratchFolder();
  const env = { PATH: process.env.PATH, MONGODB_URI: mongodbUri, DATA_DIR: dataDir };
  execFileSync(process.execPath, ['dist/cli/main.js', 'migrate'], { env });
  const first = await GatewayProcess.start(dataDir, { mongodbUri, settings });
  try {
    yield* measure(await prepare(first, client, mongodbUri), first);
  } finally {
    await first.stop();
    await client.close();
    engine.stop();
  }
}

/** The bars of issuance. */
export const issuanceBars = (): AsyncIterable<Bar> => withSetting(bars);
