// What verification costs: a checked answer against the library's bare verification of that proof, signing against its bare signature, and
// what proofs do to everything else. All ratios are of one run; both sides take turns.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { autocannon } from './autocannon.js';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { moduleOf } from './modules.js';
import { type Bar, median, timed } from './report.js';
import { type Any, type ProgramName, type ReadyAnswer, VerificationWorld } from './verification-world.js';

const ROUNDS = 9;
const WARM_UP = 2;
const SIGNATURES = 100;
const MESSAGES = [8, 32];
const CHECKED = 100;
const CHECKED_AT_ONCE = 24;
const CATALOG = '/v1/catalog/programs';
const CONNECTIONS = 10;
const TOP_SECONDS = 5;
const ISSUANCES = 400;
const ISSUED_AT_ONCE = 16;
const BLOCKS = 8;
const STARTS = 9;

const atMost = (name: string, measured: number, limit: number, detail: string, unit = ''): Bar => ({
  name,
  measured,
  limit,
  holds: 'at most',
  unit,
  detail,
});
const ms = (value: number): string => `${value.toFixed(1)} ms`;

async function many(count: number, atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The library's verification of a proof and nothing else: statements are built before. */
async function bareVerification(world: VerificationWorld): Promise<(answer: ReadyAnswer) => () => void> {
  const [{ loadLibrary }, { Parameters }, { planOf }, { specify }, { decodePresentation, contextOf, nonceOf }, bytes] =
    await Promise.all(
      ['library', 'parameters', 'plan', 'specification', 'presentation', 'bytes'].map((name) => moduleOf(`zk/${name}`)),
    );
  const library = await loadLibrary();
  const parameters = new Parameters(library);
  return ({ terms, presentation: text }) => {
    const { points, conditions, accumulators } = terms;
    const presentation = decodePresentation(text);
    const plan = planOf(points, conditions, presentation.sides);
    const commitment = bytes.fromBase64url(presentation.commitment);
    const spec = specify({ library, parameters, plan, accumulators, commitment });
    const params = parameters.signatures(points.length + 1);
    const statement = library.generatePoKBBSSignatureVerifierStatementNew(
      params,
      world.publicKey,
      spec.disclosed,
      false,
    );
    const proof = bytes.fromBase64url(presentation.proof);
    const [context, nonce] = [contextOf(presentation), nonceOf(presentation)];
    return () => {
      const statements = [statement, ...spec.statements];
      const { equalities, setup } = spec;
      const verify = library.verifyCompositeProofG1WithDeconstructedProofSpec;
      if (!verify(proof, statements, equalities, setup, context, nonce).verified) throw new Error('not verified');
    };
  };
}

async function* answers(world: VerificationWorld): AsyncIterable<Bar> {
  const bare = await bareVerification(world);
  const times: Record<ProgramName | 'bare', number[]> = { one: [], eight: [], list: [], bare: [] };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const name of ['one', 'eight', 'list'] as const) {
      const answer = await world.proved(name);
      const took = await timed(answer.send);
      const verify = bare(answer);
      const alone = name === 'one' ? await timed(async () => verify()) : 0;
      if (round < 0) continue;
      times[name].push(took);
      if (name === 'one') times.bare.push(alone);
    }
  }
  const [one, eight, list, alone] = [times.one, times.eight, times.list, times.bare].map(median) as [
    number,
    ...number[],
  ];
  const against = (a = 0, b = 0): string => `${ms(a)} against ${ms(b)}`;
  const name = 'a checked answer end to end against the bare verification of its proof (one range)';
  yield atMost(name, one / (alone ?? 0), 1.3, against(one, alone));
  yield atMost(
    'a checked answer of eight ranges against one of one range',
    (eight ?? 0) / one,
    4.5,
    against(eight, one),
  );
  yield atMost(
    'a checked answer of a hidden list of 256 against one range',
    (list ?? 0) / one,
    0.5,
    against(list, one),
  );
}

/** Notes the 99th percentile of the delay of a process's event loop in a file, from when `<file>.begin` is there. */
function loopDelayHook(file: string): string {
  const hook = `${file}.cjs`;
  const lines = [
    "const { existsSync, writeFileSync } = require('node:fs');",
    "if (require('node:worker_threads').isMainThread) {",
    "  const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 1 });",
    '  let isOn = false;',
    '  setInterval(() => {',
    `    if (isOn) return writeFileSync(${JSON.stringify(file)}, String(delay.percentile(99) / 1e6));`,
    `    isOn = existsSync(${JSON.stringify(`${file}.begin`)});`,
    '    if (isOn) delay.enable();',
    '  }, 200).unref();',
    '}',
  ];
  writeFileSync(hook, lines.join('\n'));
  return hook;
}

async function* underLoad(gateway: GatewayProcess, world: VerificationWorld, delayFile: string): AsyncIterable<Bar> {
  const load = { url: gateway.url, connections: CONNECTIONS, requests: [{ path: CATALOG }] };
  const ready: ReadyAnswer[] = [];
  for (let at = 0; at < CHECKED; at += 1) ready.push(await world.proved('one'));
  const top = await autocannon({ ...load, duration: TOP_SECONDS });
  const rate = Math.floor(top['2xx'] / top.duration / 3);
  writeFileSync(`${delayFile}.begin`, '');
  let isOver = false;
  const checking = timed(() => many(CHECKED, CHECKED_AT_ONCE, async (at) => ready[at]?.send())).finally(() => {
    isOver = true;
  });
  let [offered, served, failed] = [0, 0, 0];
  while (!isOver) {
    const result = await autocannon({ ...load, duration: 2, overallRate: rate });
    offered += rate * result.duration;
    served += result['2xx'];
    failed += result.errors + result.timeouts + result.non2xx;
  }
  const took = await checking;
  // The last figure is noted within a fifth of a second.
  await delay(500);
  const p99 = existsSync(delayFile) ? Number(readFileSync(delayFile, 'utf8')) : Number.NaN;
  const name = `delay of the event loop while ${CHECKED} proofs are checked by one worker, 99th percentile`;
  yield atMost(name, p99, 50, `${Math.round(CHECKED / (took / 1_000))} proofs/s`, 'ms');
  yield {
    name: 'catalog reads that are served meanwhile, of a third of the top rate',
    measured: failed === 0 ? (100 * served) / offered : 0,
    limit: 99,
    holds: 'at least',
    unit: '%',
    detail: `${Math.round(rate)}/s offered, ${failed} failed`,
  };
}

/** A signature by the workers, messages to and from them included, against the library's. */
async function signing(messages: number): Promise<Bar> {
  const [{ ZkThreads }, { loadLibrary }, { Parameters }, { messagesOf }, { scalarOf }, { loadSuite }] =
    await Promise.all(
      ['keys/zk/threads', 'zk/library', 'zk/parameters', 'zk/encoding', 'zk/field', 'zk/index'].map((name) =>
        moduleOf(name),
      ),
    );
  const threads = new ZkThreads({ max: 1, problems: { raise: () => {}, clear: () => {} } });
  const library = await loadLibrary();
  const { secretKey } = (await loadSuite()).newKey();
  const points = Array.from({ length: messages - 1 }, (_, at) => ({ name: `p${at}`, family: 'number' }));
  const credentialSubject = Object.fromEntries(points.map(({ name }, at) => [name, at]));
  const claim = { coreClaimHash: 'ab'.repeat(32), schemaId: 's', schemaVersion: 1, credentialSubject };
  const params = new Parameters(library).signatures(messages);
  const scalars = messagesOf(claim, points, credentialSubject).map((each: Any) => scalarOf(library, each));
  const question = () => ({ ask: 'sign', claim, points, secretKey: secretKey.slice() });
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = -10; round < SIGNATURES; round += 1) {
    const pair = [
      await timed(() => threads.ask(question)),
      await timed(async () => library.bbsSignConstantTime(scalars, secretKey, params, false)),
    ] as const;
    if (round < 0) continue;
    ours.push(pair[0]);
    bare.push(pair[1]);
  }
  await threads.close();
  const [a, b] = [median(ours), median(bare)];
  return atMost(
    `signing ${messages} messages against the library's bare signature`,
    a / b,
    1.1,
    `${ms(a)} against ${ms(b)}`,
  );
}

/** Issues credentials without a signature of proofs. */
async function issuer(gateway: GatewayProcess): Promise<(index: number) => Promise<void>> {
  const { issuerDid } = await gateway.put('issuers/bench', { name: 'Bench', issuerFrom: 'bench', managed: true });
  const point = { name: 'note', type: 'string', isRequired: true, description: '' };
  await gateway.put('schemas/bench', { title: 'Bench', description: '', dataPoints: [point] });
  await gateway.put('credentials/bench', {
    name: 'B',
    category: 'B',
    issuerId: 'bench',
    schemaId: 'bench',
    provable: false,
  });
  const keys = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  const partnerId = randomUUID();
  const rights = { scopes: ['issue'], issuerDids: [issuerDid], issueOnBehalf: true };
  await gateway.put(`partners/${partnerId}`, { name: 'Bench', jwks: { keys: [jwk] }, ...rights });
  const token = await new SignJWT({ partnerId, scope: 'issue' })
    .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
    .setExpirationTime('14m')
    .sign(keys.privateKey);
  const headers = { 'content-type': 'application/json', 'x-partner-auth': token };
  return async (index) => {
    const email = `holder-${index}@bench.example`;
    const body = { issuerDid, credentialId: 'bench', credentialSubject: { note: 'x' }, email };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${gateway.url}/v1/credentials/issue-on-behalf`, init);
    if (!answer.ok) throw new Error(`an issuance failed: ${await answer.text()}`);
    await answer.text();
  };
}

const WITHOUT = { settings: { ZK: 'off' } };

async function unprovable(): Promise<Bar> {
  const gateways = [await GatewayProcess.start(scratchFolder()), await GatewayProcess.start(scratchFolder(), WITHOUT)];
  const issue = await Promise.all(gateways.map(issuer));
  const times: [number[], number[]] = [[], []];
  for (let block = -1; block < BLOCKS; block += 1) {
    for (const [which, into] of times.entries()) {
      const first = (block + 1) * ISSUANCES;
      const took = await timed(() =>
        many(ISSUANCES / BLOCKS, ISSUED_AT_ONCE, async (at) => issue[which]?.(first + at)),
      );
      if (block >= 0) into.push(took);
    }
  }
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  const [ours, without] = [median(times[0]), median(times[1])];
  const detail = `${ms(ours)} against ${ms(without)} for ${ISSUANCES / BLOCKS}, ${ISSUED_AT_ONCE} at once`;
  return atMost('issuance with provable: false against a gateway with ZK=off', ours / without, 1.05, detail);
}

async function readiness(): Promise<Bar> {
  const times: [number[], number[]] = [[], []];
  for (let start = -1; start < STARTS; start += 1) {
    for (const [into, options] of [[times[0], {}] as const, [times[1], WITHOUT] as const]) {
      const gateway = await GatewayProcess.start(scratchFolder(), options);
      if (start >= 0) into.push(gateway.readyMs);
      await gateway.stop();
    }
  }
  const [ours, without] = [median(times[0]), median(times[1])];
  const detail = `${ms(ours)} against ${ms(without)}, medians of ${STARTS}`;
  return atMost('readiness against a gateway with ZK=off', ours / without, 1.05, detail);
}

/** The bars of verification. */
export async function* verificationBars(): AsyncIterable<Bar> {
  const delayFile = join(scratchFolder(), 'delay');
  const settings = { NODE_OPTIONS: `--require=${loopDelayHook(delayFile)}` };
  const gateway = await GatewayProcess.start(scratchFolder(), { settings });
  try {
    const world = await VerificationWorld.over(gateway);
    yield* answers(world);
    yield* underLoad(gateway, world, delayFile);
  } finally {
    await gateway.stop();
  }
  for (const messages of MESSAGES) yield await signing(messages);
  yield await unprovable();
  yield await readiness();
}
