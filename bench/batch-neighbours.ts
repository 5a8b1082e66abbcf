// What batches cost others: the median of single issuances and of reads of another client, while five batches of 1,000 rows are issued, against the
// same without them, in one gateway. `FOLDER=` names another checkout whose build runs.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { holders, type Issuing, issue, prepareIssuing } from './issuance.js';
import { type Bar, median, quantile } from './report.js';

const BATCHES = 5;
const ROWS = 1_000;
const PEOPLE = 100;
/** Samples of each kind, without and with batches. */
const SAMPLES = Number(process.env.SAMPLES ?? 150);
/** Between two requests of the other client, milliseconds. */
const PAUSE_MS = 10;

interface Times {
  issuing: number[];
  reading: number[];
}

/** Requests of a client that does one thing after the other, as long as `goesOn`. */
async function sampled(
  setting: Issuing,
  url: string,
  users: () => string,
  goesOn: (count: number) => boolean,
): Promise<Times> {
  const times: Times = { issuing: [], reading: [] };
  for (let count = 0; goesOn(count); count += 1) {
    const from = performance.now();
    await issue(setting, users(), count % 90);
    const between = performance.now();
    await (await fetch(`${url}/v1/catalog/credentials/bench-${count % 90}`)).text();
    times.issuing.push(between - from);
    times.reading.push(performance.now() - between);
    await delay(PAUSE_MS);
  }
  return times;
}

async function batch({ post, issuerDid }: Issuing, number: number): Promise<void> {
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    ...{ rowKey: String(row), email: `row-${number}-${row}@bench.example`, credentialSubject: { note: 'bench' } },
  }));
  const query = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
  const input = { issuerDid, credentialId: `bench-${95 + (number % 5)}`, rows };
  const { errors } = await post('/graphql', { query, variables: { input } });
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
}

/** Others, without batches and with them. */
export async function* batchNeighbourBars(): AsyncGenerator<Bar> {
  const gateway = await GatewayProcess.start(scratchFolder(), { folder: process.env.FOLDER ?? '.' });
  const setting = await prepareIssuing(gateway);
  const people = await holders(setting, PEOPLE);
  let next = 0;
  const users = (): string => people[next++ % people.length]?.userId ?? randomUUID();
  await sampled(setting, gateway.url, users, (count) => count < SAMPLES / 3);
  const alone = await sampled(setting, gateway.url, users, (count) => count < SAMPLES);
  for (let number = 0; number < BATCHES; number += 1) await batch(setting, number);
  const beside = await sampled(setting, gateway.url, users, (count) => count < SAMPLES);
  const after = await sampled(setting, gateway.url, users, (count) => count < 5);
  await gateway.stop();
  for (const kind of ['issuing', 'reading'] as const) {
    const [before, during] = [median(alone[kind]), median(beside[kind])];
    yield {
      name: `${kind} beside ${BATCHES} batches of ${ROWS} rows, median`,
      measured: during / before,
      limit: 2,
      holds: 'at most',
      unit: '',
      detail: `${during.toFixed(1)} ms against ${before.toFixed(1)} ms; nine of ten within ${quantile(beside[kind], 0.9).toFixed(1)} against ${quantile(alone[kind], 0.9).toFixed(1)} ms; at its end ${median(after[kind]).toFixed(1)} ms`,
    };
  }
}
