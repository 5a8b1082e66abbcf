// A store that hangs: its connections stay open and nothing is received. No request waits longer than the deadline, and all work continues when the
// store responds again.
import { STATES } from 'mongoose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import { type CutProxy, openCutProxy } from '../../support/cut-proxy.js';
import { eventually } from '../../support/eventually.js';
import { databaseUri, PATIENT_DRIVER, startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../../support/partner.js';

let proxy: CutProxy;
let gateway: TestGateway;
let partner: TestPartner;
/** A partner from whom the gateway has had no request before. */
let stranger: TestPartner;
let issuerDid: string;

const LIST = '/v1/catalog/issuers?limit=7';
const READY = '/health/ready';
const UNAVAILABLE = { error: 503, message: expect.stringContaining('does not respond') };

beforeAll(async () => {
  const uri = databaseUri(`test_hangs_${process.pid}`);
  // On a busy machine, requests may take longer than the short deadline.
  const patient = await startGateway({ env: { MONGODB_URI: uri } });
  issuerDid = await registerIssuer(patient, 'hanging');
  partner = await registerPartner(patient, [issuerDid]);
  stranger = await registerPartner(patient);
  await patient.app.close();
  proxy = await openCutProxy(uri);
  // The driver notices the interruption long after the deadline.
  const MONGODB_URI = `${proxy.uri}&${new URLSearchParams(PATIENT_DRIVER)}`;
  gateway = await startGateway({ env: { MONGODB_URI, REQUEST_TIMEOUT_SECONDS: '3' } });
});
afterAll(async () => {
  proxy.release();
  await gateway.close();
  await proxy.close();
});

const issue = async () => {
  const about = { issuerDid, credentialId: 'hanging-credential', credentialSubject: { note: 'x' } };
  return gateway.rest('POST', '/v1/credentials/issue-on-behalf', {
    body: { ...about, email: 'waits@example.org' },
    headers: { 'x-partner-auth': await partner.token() },
  });
};

describe('while the store hangs', () => {
  afterEach(() => proxy.release());

  it('while the store hangs, reads, issuing and events are 503 with Retry-After, sockets are closed with 1013, and readiness reports it', async () => {
    await issue();
    proxy.hold();
    const events = () => gateway.admin('GET', '/v1/events');
    const graphql = gateway.gql('{ issuers(first: 3) { totalCount nodes { name } } }');
    const closed = RawSocket.refusal(gateway, { init: { 'x-partner-auth': await stranger.token() } });
    const answers = await Promise.all([gateway.rest('GET', READY), gateway.rest('GET', LIST), issue(), events()]);
    for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 503, body: UNAVAILABLE });
    for (const { headers } of answers) expect(headers.get('retry-after')).toBe('2');
    expect((await graphql).errors?.[0]?.extensions).toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 2 });
    expect((await closed).code).toBe(1013);
    // The driver itself has not noticed the interruption yet.
    expect(gateway.app.connection.readyState).toBe(STATES.connected);
  });

  it('when the store responds again, everything works', async () => {
    await eventually(async () => expect((await gateway.rest('GET', READY)).status).toBe(200));
    await eventually(async () => expect((await gateway.rest('GET', LIST)).status).toBe(200));
    await eventually(async () => expect((await issue()).status).toBe(200));
  });
});

describe('while the store is known to be away', () => {
  it('while the store is unreachable, a new socket is accepted and closed with 1013, for pages of any origin', async () => {
    const own = await startGateway();
    await own.app.connection.close();
    for (const headers of [undefined, { origin: 'https://unknown.example' }]) {
      const socket = await RawSocket.open(own, { headers });
      expect(await socket.closed).toEqual({ code: 1013, reason: 'Try again later' });
    }
    await own.app.close();
  });
});
