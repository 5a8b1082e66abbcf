// Nothing of an offer is left behind: recognisable values are offered and taken in every way, and looked for in the data file, the log, the traces,
// the metrics, the errors, the events and the audit trail.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { openStore } from '../../src/store/connection.js';
import { eventually } from '../support/eventually.js';
import { freePorts, GatewayProcess, OPERATOR_KEY } from '../support/gateway-process.js';
import { storedText } from '../support/stored-text.js';
import { reachOf } from '../verification/processes.js';
import { Authorizing, newPkce } from './authorizing.js';
import { type Answer, newKey, send } from './wallet.js';

const PRE_AUTHORIZED = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const NOTE = 'canary note of an offer';
const SINCE = '1931-07-19';

const forms = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(secret).toString('hex'),
  JSON.stringify(Buffer.from(secret).toString('base64url')).slice(1, -2),
];

/** What a collector of traces was sent. */
const spans: string[] = [];
const collector = createServer((request, response) => {
  void text(request).then((body) => {
    spans.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});

let gateway: GatewayProcess;
afterAll(() => {
  gateway?.remove();
  collector.close();
});

it('an offer leaves no value, code or token in the data file, the log, a trace, a metric, an error, an event or the audit trail', async () => {
  const [port = 0] = await freePorts(1);
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const traces = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: traces, OTEL_TRACES_SAMPLER_ARG: '1' };
  gateway = new GatewayProcess({ LOG_LEVEL: 'debug', PORT: String(port), CHAIN: 'off', ...tracing });
  await gateway.start();
  const reach = await reachOf(gateway);
  const url = `http://localhost:${port}`;
  const issuer = `${url}/oid4vci/club`;
  const at = new Authorizing(url, issuer);
  const { wallet } = at;
  /** Texts of ours that no other text has, by what they are. */
  const secrets: [string, string][] = [
    ['note', NOTE],
    ['since', SINCE],
  ];
  /** Codes of six digits, which other texts may have: looked for with what stands around them. */
  const txCodes: string[] = [];
  const answers: unknown[] = [];
  const keep = (what: string, secret: unknown): void => {
    expect(String(secret).length, what).toBeGreaterThan(8);
    secrets.push([what, String(secret)]);
  };
  const refused = (answer: Answer, status: number): void => {
    expect(answer).toMatchObject({ status });
    answers.push(answer.body);
  };
  const mailed = async (email: string): Promise<string> =>
    (await gateway.admin('GET', `/v1/sandbox/mailbox?email=${email}`)).body.messages.at(-1).code;

  /** Offers, and reads the offer as a wallet does: by GET, HEAD, and at addresses that are slightly wrong. */
  async function offered(
    email: string,
    more: object = {},
  ): Promise<{ id: string; offer: Answer['body']; uri: string }> {
    const about = { issuerDid: reach.issuerDid, credentialId: 'member', email, ...more };
    const credentialSubject = { level: 7, since: SINCE, note: NOTE };
    const { status, body } = await reach.partner.rest('POST', '/v1/offers', { ...about, credentialSubject });
    expect({ status, body }).toMatchObject({ status: 201 });
    const uri = new URL(body.offerUri).searchParams.get('credential_offer_uri') ?? '';
    const { body: offer } = await send(uri);
    keep('offer token', uri.split('/').at(-1));
    keep('offer code', offer.grants[PRE_AUTHORIZED]['pre-authorized_code']);
    if (body.txCode !== null) txCodes.push(body.txCode);
    expect((await send(uri, { method: 'HEAD' })).status).toBe(200);
    refused(await send(`${uri}/`), 404);
    refused(await send(`${uri}x`), 404);
    refused(await send(uri.replace('/offers/', '/offer/')), 404);
    refused(await send(uri.replace('/offers/', '/%6Fffers//')), 404);
    refused(await send(uri.replace('/club/', '/none/')), 404);
    refused(await send(uri, { method: 'DELETE' }), 405);
    return { id: body.offerId, offer, uri };
  }

  // Taken with the code that is mailed, renewed, and notified of.
  const one = await offered('ada@example.org');
  const txCode = await mailed('ada@example.org');
  txCodes.push(txCode);
  refused(await wallet.tokenFor(one.offer, txCode === '000000' ? '000001' : '000000'), 400);
  refused(await wallet.tokenFor(one.offer), 400);
  const dpop = await newKey();
  const taken = await wallet.take(one.offer, { txCode, copies: 2, dpop });
  expect(taken.answer.status).toBe(200);
  keep('access token', taken.token.access_token);
  keep('refresh token', taken.token.refresh_token);
  keep('disclosure', taken.answer.body.credentials[0].credential.split('~')[1]);
  refused(await wallet.tokenFor(one.offer, txCode), 400);
  const refresh = { grant_type: 'refresh_token', refresh_token: taken.token.refresh_token };
  refused(await wallet.token(refresh), 400);
  const { body: renewed } = await wallet.token(refresh, dpop);
  keep('renewed access token', renewed.access_token);
  keep('renewed refresh token', renewed.refresh_token);
  const nonce = await wallet.nonce();
  keep('c_nonce', nonce);
  const proof = await wallet.proof(await newKey(), nonce);
  keep('proof', proof.split('.')[2]);
  const about = { credential_identifier: 'member', proofs: { jwt: [proof] } };
  refused(await wallet.credential(renewed.access_token, { ...about, proofs: { jwt: [`${proof}x`] } }, dpop), 400);
  refused(await wallet.credential(renewed.access_token, about), 401);
  expect((await wallet.credential(renewed.access_token, about, dpop)).status).toBe(200);
  const event = { notification_id: taken.answer.body.notification_id, event: 'credential_accepted' };
  expect((await wallet.notify(taken.token.access_token, event, dpop)).status).toBe(204);
  refused(await wallet.notify(renewed.access_token, { ...event, notification_id: NOTE }, dpop), 400);

  // Withdrawn; over; and refused when it is made.
  const two = await offered('grace@example.org', { txCode: 'partner' });
  expect((await reach.partner.rest('DELETE', `/v1/offers/${two.id}`)).status).toBe(204);
  refused(await send(two.uri), 404);
  refused(await wallet.tokenFor(two.offer, txCodes.at(-1)), 400);
  const three = await offered('lin@example.org', { txCode: 'partner', expiresIn: 60 });
  const bad = { issuerDid: reach.issuerDid, credentialId: 'member', email: 'ida@example.org' };
  const wrong = { level: NOTE, since: SINCE, note: [NOTE], [NOTE.replaceAll(' ', '')]: NOTE };
  refused((await reach.partner.rest('POST', '/v1/offers', { ...bad, credentialSubject: wrong })) as Answer, 400);

  // By an authorization code, from a pushed request through the page.
  const four = await offered('ida@example.org', { txCode: 'partner' });
  const { verifier, challenge } = newPkce();
  keep('code_verifier', verifier);
  const { issuer_state } = four.offer.grants.authorization_code;
  const parameters = at.parameters(challenge, { issuer_state, state: 'canary-state-51c2' });
  const pushed = await at.push(parameters);
  keep('request_uri', pushed.body.request_uri.split(':').at(-1));
  const page = await at.openPushed(pushed);
  for (const secret of at.cookies.values()) keep('page', secret);
  await at.fill({ page: page.id, email: 'ida@example.org' });
  answers.push((await at.fill({ page: page.id, code: '12' })).text);
  const login = await mailed('ida@example.org');
  txCodes.push(login);
  const agreed = await at.fill({ page: page.id, code: login });
  for (const secret of at.cookies.values()) keep('page that agrees', secret);
  const code = (await at.follow(agreed, 'agree')).searchParams.get('code') ?? '';
  keep('authorization code', code);
  refused(await at.token(code, `${verifier}x`), 400);
  const { body: token } = await at.token(code, verifier);
  keep('access token by code', token.access_token);
  const jwt = [await wallet.proof(await newKey(), await wallet.nonce())];
  const { status } = await wallet.credential(token.access_token, { credential_identifier: 'member', proofs: { jwt } });
  expect(status).toBe(200);
  refused(await at.token(code, verifier), 400);
  refused((await at.openPushed(pushed)) as unknown as Answer, 400);

  const stateOf = async (id: string) => (await reach.partner.rest('GET', `/v1/offers/${id}`)).body;
  expect((await stateOf(one.id)).state).toBe('issued');
  expect((await stateOf(four.id)).state).toBe('issued');
  const metrics = await (
    await fetch(`${gateway.url}/metrics`, { headers: { 'x-admin-api-key': OPERATOR_KEY } })
  ).text();
  await gateway.stop('SIGTERM');
  await endNow(gateway.dataDir, three.id);
  await gateway.start();
  await eventually(async () => expect(await stateOf(three.id)).toMatchObject({ reason: 'expired' }));
  const { body: events } = await reach.partner.rest('GET', '/v1/events?limit=100');
  const query = '{ auditEntries(first: 100) { nodes { operation subject before after } } }';
  const { body: audit } = await gateway.admin('POST', '/graphql', { body: { query } });
  await gateway.stop('SIGTERM');

  const places: [string, string][] = [
    ['the data file', await storedText(gateway.dataDir)],
    ['the log', gateway.output],
    ['a trace', spans.join('\n')],
    ['the metrics', metrics],
    ['an error', JSON.stringify(answers)],
    ['an event', JSON.stringify(events)],
    ['the audit trail', JSON.stringify(audit)],
  ];
  const found: string[] = [];
  for (const [place, held] of places) {
    for (const [what, secret] of secrets)
      if (forms(secret).some((form) => held.includes(form))) found.push(`${what} in ${place}`);
    if (txCodes.some((six) => new RegExp(`(?<![\\w.-])${six}(?![\\w.-])`).test(held))) found.push(`a code in ${place}`);
  }
  expect(found).toEqual([]);
  // The search itself can find something.
  for (const [place, sign] of [
    ['the data file', 'offer_created'],
    ['the log', '/oid4vci/:issuerId/token'],
    ['a trace', '/oid4vci/:issuerId/offers/:token'],
    ['the metrics', '/oid4vci/:issuerId/offers/:token'],
    ['an error', 'invalid_grant'],
    ['an event', 'offer_closed'],
    ['the audit trail', 'offer.withdraw'],
  ])
    expect(places.find(([name]) => name === place)?.[1].includes(sign ?? ''), place).toBe(true);
});

/** Has an offer end: as the shortest time of one would be over. */
async function endNow(dataDir: string, offerId: string): Promise<void> {
  const store = await openStore(loadConfig({ DATA_DIR: dataDir }));
  await store.connected;
  const past = new Date(Date.now() - 1_000);
  const change = { $set: { expiresAt: past, due: past } };
  await store.connection.collection('offers').updateOne({ _id: offerId as never }, change);
  await store.close();
}
