// Promises against guessing: wrong codes count over many logins, hours and days, and strangers lock out nobody whom a partner or a session
// vouches for.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putPartner, startWorld, type World } from './support.js';

const DAY = 86_400_000;
const PER_HOUR = 60;

let world: World;
beforeAll(async () => {
  world = await startWorld({ TRUST_PROXY: '1', WRONG_CODES_PER_HOUR: String(PER_HOUR), REQUEST_POINTS: '100000' });
});
afterAll(() => world.close());
// Each test begins with a new week, so that no window ends in it unless it says so.
beforeEach(() => {
  world.clock.now = (Math.floor(world.clock.now / (7 * DAY)) + 1) * 7 * DAY + 1_000;
});

/** Where a login comes from: an address, and credentials if it has some. */
type From = Record<string, string>;
const at = (address: string): From => ({ 'x-forwarded-for': address });
const wrong = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

const begin = (email: string, headers: From, partnerId = world.partnerId) =>
  world.gateway.rest('POST', '/v1/auth/login', { body: { email, partnerId }, headers });
const send = (loginId: string, code: string, { authorization: _, 'x-partner-auth': __, ...headers }: From) =>
  world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId, code }, headers });

/** Begins a login and sends codes that are wrong; returns how many were compared, and the last status. */
async function guess(email: string, from: From, times = 5): Promise<{ compared: number; status: number }> {
  const { status, body } = await begin(email, from);
  if (status !== 202) return { compared: 0, status };
  const code = wrong(await world.lastCode(email));
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 1) statuses.push((await send(body.loginId, code, from)).status);
  return { compared: statuses.filter((one) => one === 400).length, status: statuses.at(-1) ?? 0 };
}

/** Guesses for each e-mail in turn; returns how many codes were compared. */
async function spray(emails: readonly string[], from: (index: number) => From): Promise<number> {
  let compared = 0;
  for (const [index, email] of emails.entries()) compared += (await guess(email, from(index))).compared;
  return compared;
}

const people = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}@example.com`);
const logIn = async (email: string, from: From, partnerId?: string): Promise<number> => {
  const { status, body } = await begin(email, from, partnerId);
  return status === 202 ? (await send(body.loginId, await world.lastCode(email), from)).status : status;
};
const asPartner = (email: string): From => ({ 'x-partner-auth': world.token({ email }) });

describe('wrong codes of one address', () => {
  it('wrong codes of one address are compared 30 times in an hour for all e-mails; then its logins are refused, and no others', async () => {
    expect(await spray(people('sprayed', 20), () => at('198.51.100.1'))).toBe(30);
    const refused = await begin('sprayed99@example.com', at('198.51.100.1'));
    expect(refused.status).toBe(429);
    expect(refused.body.message).toMatch(/^Too many wrong codes; try again in 3\d{3} seconds\.$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(await logIn('sprayed99@example.com', at('198.51.100.2'))).toBe(200);
    world.clock.now += 3_600_000;
    expect(await logIn('sprayed99@example.com', at('198.51.100.1'))).toBe(200);
  });

  it('wrong codes of one address count in GraphQL, too', async () => {
    const from = at('198.51.100.7');
    expect(await spray(people('graph', 8), () => from)).toBe(30);
    const document = 'mutation ($input: LoginInput!) { login(input: $input) { loginId } }';
    const input = { email: 'graph99@example.com', partnerId: world.partnerId };
    const { errors } = await world.gateway.gql(document, { input }, from);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
  });

  it('wrong codes of one address are those of its IPv6 network', async () => {
    expect(await spray(people('six', 10), (index) => at(`2001:db8:0:7::${index + 1}`))).toBe(30);
    expect((await begin('six99@example.com', at('2001:db8:0:7::99'))).status).toBe(429);
    expect((await begin('six99@example.com', at('2001:db8:0:8::99'))).status).toBe(202);
  });

  it('wrong codes sent at once are not compared more often', async () => {
    const logins = await Promise.all(people('burst', 12).map((email) => begin(email, at('198.51.100.3'))));
    const codes = logins.flatMap(({ body }) =>
      Array.from({ length: 5 }, () => send(body.loginId, '000000', at('198.51.100.3'))),
    );
    const compared = (await Promise.all(codes)).filter(({ status }) => status !== 429);
    expect(compared.length).toBeLessThanOrEqual(30);
  });

  it('ten wrong codes of one address in a day lock only that address out of an e-mail', async () => {
    const from = at('198.51.100.4');
    expect(
      await spray(
        Array.from({ length: 4 }, () => 'wanted@example.com'),
        () => from,
      ),
    ).toBe(10);
    expect((await begin('wanted@example.com', from)).status).toBe(429);
    expect(await logIn('wanted@example.com', at('198.51.100.5'))).toBe(200);
  });

  it('wrong codes do not include right ones', async () => {
    for (let time = 0; time < 4; time += 1) {
      for (const email of people('right', 10)) expect(await logIn(email, at('198.51.100.6'))).toBe(200);
      world.clock.now += 600_000;
    }
  });
});

describe('wrong codes for one e-mail, from many addresses', () => {
  const EMAIL = 'famous@example.com';
  const fromEverywhere = async (logins: number): Promise<number> => {
    let compared = 0;
    for (let n = 0; n < logins; n += 1) {
      compared += (await guess(EMAIL, at(`203.0.113.${n}`))).compared;
      world.clock.now += 300_000;
    }
    return compared;
  };

  it('wrong codes for one e-mail from many addresses are compared 30 times in a day and 100 in a week', async () => {
    const days: number[] = [];
    for (let day = 0; day < 6; day += 1) {
      days.push(await fromEverywhere(8));
      expect((await begin(EMAIL, at('192.0.2.2'))).status).toBe(429);
      world.clock.now = Math.floor(world.clock.now / DAY) * DAY + DAY + 1_000;
    }
    expect(days).toEqual([30, 30, 30, 10, 0, 0]);
    world.clock.now += DAY;
    expect(await logIn(EMAIL, at('192.0.2.1'))).toBe(200);
  });

  it('wrong codes for one e-mail use up the tries of an open login, even with the right code', async () => {
    const { body } = await begin('early@example.com', at('192.0.2.1'));
    const code = await world.lastCode('early@example.com');
    for (let n = 0; n < 6; n += 1) await guess('early@example.com', at(`203.0.113.${n}`));
    const refused = await send(body.loginId, code, at('192.0.2.1'));
    expect(refused.status).toBe(429);
    expect(refused.body.message).toMatch(/^Too many wrong codes; /);
  });

  it('wrong codes for one e-mail lock out neither its partner nor its holder', async () => {
    const session = await world.login('known@example.com');
    for (let n = 0; n < 8; n += 1) await guess('known@example.com', at(`203.0.113.${n}`));
    expect(await logIn('known@example.com', at('192.0.2.1'))).toBe(429);
    expect(await logIn('known@example.com', asPartner('known@example.com'))).toBe(200);
    expect(await logIn('known@example.com', { authorization: `Bearer ${session}` })).toBe(200);
  });
});

describe('wrong codes of all strangers together', () => {
  it('wrong codes of all strangers are compared WRONG_CODES_PER_HOUR times; logins with a partner token or a session still work', async () => {
    const session = await world.login('vouched@example.com');
    const emails = people('all', 20);
    const compared = await spray(emails, (index) => at(`203.0.113.${index}`));
    expect(compared).toBe(PER_HOUR);
    expect(await logIn('nobody@example.com', at('192.0.2.1'))).toBe(429);
    expect(await logIn('vouched@example.com', { ...at('192.0.2.1'), authorization: `Bearer ${session}` })).toBe(200);
    expect(await logIn('new@example.com', { ...at('192.0.2.1'), ...asPartner('new@example.com') })).toBe(200);
    const { body: metrics } = await world.gateway.admin('GET', '/metrics');
    expect(String(metrics)).toMatch(/gateway_login_codes_total\{result="refused"\} [1-9]/);
    world.clock.now += 3_600_000;
    expect(await logIn('nobody@example.com', at('192.0.2.1'))).toBe(200);
  });
});

describe('wrong codes of logins that a partner vouches for', () => {
  it("wrong codes of a partner's logins are compared 30 times in a day per e-mail, and only that partner is refused", async () => {
    const email = 'handed@example.com';
    const otherId = randomUUID();
    await putPartner(world.gateway, otherId, world.key);
    let compared = 0;
    for (let n = 0; n < 8; n += 1) {
      compared += (await guess(email, asPartner(email))).compared;
      world.clock.now += 600_000;
    }
    expect(compared).toBe(30);
    expect((await begin(email, asPartner(email))).status).toBe(429);
    expect(await logIn(email, { 'x-partner-auth': world.token({ email }, otherId) }, otherId)).toBe(200);
    expect(await logIn(email, at('192.0.2.9'))).toBe(200);
    expect(await logIn('other@example.com', asPartner('other@example.com'))).toBe(200);
  });

  it("wrong codes of a partner's logins are compared WRONG_CODES_PER_HOUR times for all its e-mails", async () => {
    const emails = people('partners', 15);
    let compared = 0;
    for (const email of emails) compared += (await guess(email, asPartner(email))).compared;
    expect(compared).toBe(PER_HOUR);
    expect(await logIn('stranger@example.com', at('192.0.2.9'))).toBe(200);
  });
});
