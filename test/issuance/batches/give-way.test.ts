// Rows of a batch give way to callers: one at a time while they ask, and all are issued in the end.
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { Points } from '../../../src/base/callers/points.js';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

const ROWS = 12;
const CREATE = 'mutation ($input: IssueOnBehalfBatchInput!) { issueOnBehalfBatch(input: $input) { job { jobId } } }';
const PROGRESS = 'query ($jobId: String!) { batch(jobId: $jobId) { state progress { issued } } }';

let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;
beforeAll(async () => {
  gateway = await startGateway({ env: { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off' } });
  issuerDid = await registerIssuer(gateway, 'giving');
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(() => gateway?.close());

/** Issues a batch to its end. Returns the most of its rows that were under way at once. */
async function mostAtOnce(name: string): Promise<number> {
  const { issuance } = gateway.app.services;
  const { issueOnBehalf } = issuance;
  let [underWay, most] = [0, 0];
  const watching = vi.spyOn(issuance, 'issueOnBehalf').mockImplementation(async (...given) => {
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      return await issueOnBehalf.apply(issuance, given);
    } finally {
      underWay -= 1;
    }
  });
  onTestFinished(() => watching.mockRestore());
  const headers = { 'x-partner-auth': await partner.token() };
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    rowKey: `${index}`,
    email: `${name}-${index}@example.org`,
    credentialSubject: { note: 'n' },
  }));
  const input = { issuerDid, credentialId: 'giving-credential', rows };
  const { jobId } = (await gateway.gql(CREATE, { input }, headers)).data.issueOnBehalfBatch.job;
  const batch = async () => (await gateway.gql(PROGRESS, { jobId }, headers)).data.batch;
  await until(async () => (await batch()).state === 'FINISHED');
  expect((await batch()).progress.issued).toBe(ROWS);
  return most;
}

it('rows of a batch run one at a time while callers ask, and all are issued', async () => {
  const asking = vi.spyOn(Points.prototype, 'isBusy', 'get').mockReturnValue(true);
  onTestFinished(() => asking.mockRestore());
  expect(await mostAtOnce('asking')).toBe(1);
});

it('rows of a batch run several at a time while nobody asks', async () => {
  const quiet = vi.spyOn(Points.prototype, 'isBusy', 'get').mockReturnValue(false);
  onTestFinished(() => quiet.mockRestore());
  expect(await mostAtOnce('quiet')).toBeGreaterThan(1);
});
