// Nothing of a presentation is left behind: recognisable values are disclosed, rightly and wrongly, and looked for in the data file, the log, the
// errors and the events.
import { createHash } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { type Held, PresentingWallet } from '../../openid4vp/wallet.js';
import { freePorts, GatewayProcess } from '../../support/gateway-process.js';
import { allowOrigins } from '../../support/partner.js';
import { storedText } from '../../support/stored-text.js';
import { reachOf } from '../processes.js';
import { asVerifier, recordOf } from '../world.js';
import { foreignAt } from './foreign-world.js';
import { walletsOf } from './world.js';

const NAME = 'Canary-Ada-3f9a';
const NOTE = 'canary note of a member';
const BIRTH = '1977-11-23';
const ORIGIN = 'https://shop.example';

const forms = (text: string): string[] => [
  text,
  Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(text).toString('hex'),
];

let gateway: GatewayProcess;
afterAll(() => gateway?.remove());

it('a presentation leaves no value, disclosure, response or code in the data file, the log, an error or an event', async () => {
  const [port = 0] = await freePorts(1);
  gateway = new GatewayProcess({ LOG_LEVEL: 'debug', PORT: String(port), CHAIN: 'off' });
  await gateway.start();
  const reach = await reachOf(gateway);
  const { own, walletWith, start } = walletsOf(reach, `http://localhost:${port}`, () => gateway.url);
  const { foreign, program } = await foreignAt(reach);
  await allowOrigins(gateway, reach.partner.partnerId, [ORIGIN]);
  await program('named', { identity: ['birthdate <= today - 18 years', 'given_name exists'] }, { disclose: true });
  const identity = new PresentingWallet([await foreign.issue({ claims: { given_name: NAME, birthdate: BIRTH } })], own);
  const member = await walletWith({ level: 3, since: '2024-02-29', note: NOTE });
  const secrets: Record<string, string> = { NAME, NOTE, BIRTH };
  const answers: unknown[] = [];

  const good = await start({ programId: 'named' });
  answers.push((await identity.answer(good.body.wallet.uri)).body, await recordOf(reach, good.body.verificationId));
  expect(answers.at(-1)).toMatchObject({ state: 'proved', disclosed: ['birthdate', 'given_name'] });

  const { body } = await start({ wallet: { flow: 'same_device' }, redirectUrl: `${ORIGIN}/done` });
  const { request } = await member.fetch(body.wallet.uri);
  const presentation = await member.present(request, member.held[0] as Held, ['level', 'note']);
  const response = await member.encrypt({ vp_token: { c0: [presentation] }, state: request.state }, request);
  answers.push((await member.post(request, { response: `${response}x` })).body);
  const [, binding = ''] = /~([^~]*)$/.exec(presentation) ?? [];
  Object.assign(secrets, { binding: binding.split('.')[2], disclosure: presentation.split('~')[1] });
  const { redirect_uri: address } = (await member.post(request, { response })).body;
  const responseCode = String(address).split('=')[1] ?? '';
  Object.assign(secrets, { response: response.split('.')[3], responseCode });
  const path = `/v1/verifications/${body.verificationId}/wallet-answer`;
  answers.push((await asVerifier(reach, 'POST', path, { responseCode: 'wrong' })).body);
  answers.push((await asVerifier(reach, 'POST', path, { responseCode })).body);
  expect(answers.at(-1)).toMatchObject({ state: 'proved', disclosed: ['level', 'note'] });

  const refused = await start({ programId: 'named' });
  const bad = await identity.answer(refused.body.wallet.uri, { payload: { nonce: 'other' } });
  answers.push(bad.body, await recordOf(reach, refused.body.verificationId));
  const { body: events } = await reach.partner.rest('GET', '/v1/events?limit=100');
  expect(events.items.filter(({ type }: { type: string }) => type.startsWith('verification_'))).not.toEqual([]);
  answers.push(events);
  await foreign.close();
  await gateway.stop('SIGTERM');

  const data = await storedText(gateway.dataDir);
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(8);
    for (const form of forms(secret)) {
      expect(data.includes(form), `${name} in the data file`).toBe(false);
      expect(gateway.output.includes(form), `${name} in the log`).toBe(false);
      expect(JSON.stringify(answers).includes(form), `${name} in an answer`).toBe(false);
    }
  }
  // The search itself can find something: the hash of a presentation is there.
  expect(data).toContain(createHash('sha256').update(presentation).digest('hex'));
  expect(gateway.output).toContain('/oid4vp/responses/');
});
