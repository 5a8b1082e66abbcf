// One person in two spellings is one person: at every door that takes an e-mail, in every limit, and for rows that an earlier version wrote.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalEmail, emailText, sameEmail } from '../../src/holders/email.js';
import { holderModels } from '../../src/holders/models.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { sourceFiles } from '../support/imports.js';
import { registerIssuer } from '../support/partner.js';
import { startWorld, type World } from './support.js';

/** Two spellings of one address each, by a name that makes it another. */
const SPELLINGS: [what: string, (name: string) => [string, string]][] = [
  ['case', (name) => [`${name}@example.com`, ` ${name.toUpperCase()}@Example.COM `]],
  ['a composed and a decomposed letter', (name) => [`ren\u00e9.${name}@example.com`, `rene\u0301.${name}@example.com`]],
  ['a letter whose capital has no code point', (name) => [`\u01f0.${name}@example.com`, `J\u030c.${name}@example.com`]],
  ['a domain in Unicode and in ASCII', (name) => [`${name}@b\u00fccher.example`, `${name}@xn--bcher-kva.example`]],
  ['the same in capitals, decomposed', (name) => [`${name}@BU\u0308CHER.Example`, `${name}@XN--BCHER-KVA.example`]],
  ['sharp s', (name) => [`${name}@fa\u00df.example`, `${name}@xn--fa-hia.example`]],
  ['a domain in wide letters', (name) => [`${name}@example.com`, `${name}@\uff45\uff58ample.com`]],
  ['an ideographic full stop', (name) => [`${name}@\u4f8b\u3048.jp`, `${name}@\u4f8b\u3048\u3002jp`]],
  [
    'a country code in Unicode and in ASCII',
    (name) => [`${name}@\u4f8b\u3048.\u4e2d\u56fd`, `${name}@xn--r8jz45g.xn--fiqs8s`],
  ],
];
/** Pairs of addresses that are not the same. */
const OTHERS: [string, string][] = [
  ['a@b\u00fccher.example', 'a@bucher.example'],
  ['a@fa\u00df.example', 'a@fass.example'],
  ['ren\u00e9@example.com', 'rene@example.com'],
  ['a.b@example.com', 'ab@example.com'],
  ['a+b@example.com', 'a@example.com'],
  ['\uff41@example.com', 'a@example.com'],
  ['a@b\u00fccher.example', 'a@b\u00fccher.example/x.example'],
  ['a@b\u00fccher%2eexample.com', 'a@b\u00fccher.example.com'],
  ['a@xn--zzzz.example', 'a@zzzz.example'],
  ['a@xn--example-.org', 'a@example.org'],
];

const DAY = 86_400_000;
const root = randomBytes(32);
let world: World;
let issuerDid: string;
beforeAll(async () => {
  world = await startWorld({ TRUST_PROXY: '1', KEYSTORE_KEY: root.toString('base64'), REQUEST_POINTS: '100000' });
  issuerDid = await registerIssuer(world.gateway, 'spelling');
  const rights = { scopes: ['issue', 'verify'], issuerDids: [issuerDid], issueOnBehalf: true };
  const body = { name: 'Acme', jwks: { keys: [world.key.jwk] }, ...rights };
  await world.gateway.admin('PUT', `/v1/admin/partners/${world.partnerId}`, { body });
});
afterAll(() => world.close());

let people = 0;
function nameOf(): string {
  people += 1;
  return `person${people}`;
}
const login = (email: string, headers: Record<string, string> = {}) =>
  world.gateway.rest('POST', '/v1/auth/login', { body: { email, partnerId: world.partnerId }, headers });
const mailbox = async (email: string): Promise<{ code: string; to: string }[]> => {
  const { body } = await world.gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
  return body.messages;
};
const logIn = async (email: string, headers: Record<string, string> = {}) => {
  const { body } = await login(email, headers);
  const code = (await mailbox(email)).at(-1)?.code;
  return world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code } });
};
const issue = (body: object, claims: object) =>
  world.asPartner(
    '/v1/credentials/issue-on-behalf',
    { issuerDid, credentialId: 'spelling-credential', credentialSubject: { note: 'n' }, ...body },
    claims,
  );

describe.each(SPELLINGS)('An address in two spellings (%s)', (_what, spell) => {
  it('an address in two spellings is one address, whose canonical form is its own', () => {
    const [one, other] = spell('any');
    expect(sameEmail(one, other)).toBe(true);
    expect(canonicalEmail(canonicalEmail(other))).toBe(canonicalEmail(one));
  });

  it('an address in two spellings is one recipient, in initialize-user and in issuances', async () => {
    const [one, other] = spell(nameOf());
    const { body } = await world.initialize(one);
    expect((await world.initialize(other)).body).toEqual({ ...body, status: 'existing' });
    const issued = await issue({ email: other }, { email: one });
    expect([issued.status, issued.body.userUuid]).toEqual([200, body.userId]);
    expect((await issue({ email: other, userId: body.userId }, {})).status).toBe(200);
  });

  it('an address in two spellings is one recipient for concurrent requests', async () => {
    const spellings = spell(nameOf());
    const asked = await Promise.all(Array.from({ length: 8 }, (_, at) => world.initialize(spellings[at % 2] ?? '')));
    expect(new Set(asked.map(({ body }) => body.userId)).size).toBe(1);
  });

  it('an address in two spellings is one login: by token, by session, in the mailbox', async () => {
    // Ahead, so that the store does not delete the counts of those ten minutes meanwhile.
    world.clock.now += 600_000;
    const [one, other] = spell(nameOf());
    expect((await world.asPartner('/v1/auth/login', { email: other }, { email: one })).status).toBe(202);
    const [first, second] = [await logIn(one), await logIn(other)];
    expect(second.body.id).toBe(first.body.id);
    expect((await mailbox(one)).map(({ to }) => to)).toEqual(Array(3).fill(canonicalEmail(other)));
    // A session of one vouches for the other: strangers have used up their mails.
    for (let at = 0; at < 30; at += 1) await login(one, { 'x-forwarded-for': `203.0.113.${at}` });
    expect((await login(other, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(429);
    expect((await login(other, { authorization: `Bearer ${first.body.token}` })).status).toBe(202);
  });

  it('an address in two spellings has one limit of mails, and one of wrong codes', async () => {
    // A new day, so that no window ends in this test.
    world.clock.now = (Math.floor(world.clock.now / DAY) + 1) * DAY;
    const [one, other] = spell(nameOf());
    const statuses: number[] = [];
    for (const email of [one, other, one, other, one, other]) statuses.push((await login(email)).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    const wrong = async (email: string) => {
      world.clock.now += 600_000;
      const { body } = await login(email, { 'x-forwarded-for': '198.51.100.9' });
      const code = String((Number((await mailbox(email)).at(-1)?.code) + 1) % 1_000_000).padStart(6, '0');
      const headers = { 'x-forwarded-for': '198.51.100.9' };
      for (let at = 0; at < 5; at += 1)
        await world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId: body.loginId, code }, headers });
    };
    await wrong(one);
    await wrong(other);
    expect((await login(one, { 'x-forwarded-for': '198.51.100.9' })).status).toBe(429);
  });

  it('an address in two spellings is erased with all its spellings', async () => {
    const [one, other] = spell(nameOf());
    const { body } = await world.initialize(one);
    const erased = await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { email: other } });
    expect(erased.status).toBe(202);
    expect((await world.initialize(other)).body.userId).not.toBe(body.userId);
  });

  it('an address in two spellings finds a holder that was stored under either, and a login shows the stored one', async () => {
    for (const written of spell(nameOf())) {
      const before = emailText.parse(written);
      const { body } = await world.initialize(written);
      const box = new SealedBox(root);
      const sealedEmail = box.seal(before, { what: 'holder-email', whose: body.userId });
      const { holders } = holderModels(world.gateway.app.connection);
      await holders.updateOne({ _id: body.userId }, { emailHash: box.blindIndex('holder-email', before), sealedEmail });
      expect((await world.initialize(written)).body).toEqual({ ...body, status: 'existing' });
      if (before === canonicalEmail(before)) continue;
      const { body: session } = await logIn(written);
      const me = await world.asHolder('GET', '/v1/holders/me', session.token);
      expect(me.body.user).toMatchObject({ id: body.userId, email: before });
      await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId: body.userId } });
    }
  });
});

describe('A holder that was stored before', () => {
  const box = new SealedBox(root);
  /** Stores a holder as earlier versions did: under the spelling that was given. */
  const store = async (email: string): Promise<string> => {
    const { body } = await world.initialize(`${nameOf()}@before.example`);
    const { holders } = holderModels(world.gateway.app.connection);
    const sealedEmail = box.seal(email, { what: 'holder-email', whose: body.userId });
    await holders.updateOne({ _id: body.userId }, { emailHash: box.blindIndex('holder-email', email), sealedEmail });
    return body.userId;
  };
  const userIdOf = async (email: string) => (await world.initialize(email)).body.userId;

  it('a holder stored under the ASCII domain is found in every spelling', async () => {
    const id = await store('ascii@xn--bcher-kva.example');
    for (const email of ['ascii@xn--bcher-kva.example', 'ascii@b\u00fccher.example', 'ASCII@BU\u0308CHER.example'])
      expect(await userIdOf(email)).toBe(id);
  });

  it('a holder stored under another spelling of UTS 46 is found in that spelling', async () => {
    const id = await store('wide@\uff42\u00fccher.example');
    expect(await userIdOf('wide@\uff42\u00fccher.example')).toBe(id);
  });

  it('a holder stored twice, in two spellings, stays two: each is found in its own', async () => {
    const [unicode, ascii] = [await store('twin@b\u00fccher.example'), await store('twin@xn--bcher-kva.example')];
    expect(await userIdOf('twin@b\u00fccher.example')).toBe(unicode);
    expect(await userIdOf('Twin@XN--bcher-kva.example')).toBe(ascii);
    expect((await logIn('twin@xn--bcher-kva.example')).body.id).toBe(ascii);
    expect((await logIn('twin@b\u00fccher.example')).body.id).toBe(unicode);
  });

  it('a holder stored with a domain that UTS 46 does not allow is found as before', async () => {
    for (const email of ['odd@xn--zzzz.example', 'odd@b\u00fcch^er.example', 'odd@b\u00fccher/x.example'])
      expect(await userIdOf(email)).toBe(await userIdOf(email.toUpperCase()));
  });
});

describe('Two addresses', () => {
  it.each(OTHERS)('the addresses %s and %s are different', (one, other) => {
    expect(sameEmail(one, other)).toBe(false);
  });

  it.each([
    'a@exa\u00admple.com',
    'a@b\u00fccher\u200b.example',
    'a@b.example\uff0cc@d.example',
    'a@b\u00fccher.example\u3002',
  ])('%j is no address', (text) => {
    expect(emailText.safeParse(text).success).toBe(false);
  });
});

/** Lines that compare or look up addresses as plain texts. */
const FAULTS: readonly RegExp[] = [
  /\b[\w.]*email\w*(\([^()]*\))?\s*[!=]={1,2}(?![=]|\s*(undefined\b|null\b|['"`]))/i,
  /[!=]==?\s*(await\s+)?[\w.]*email\b/i,
  /\b[\w.]*email(\([^()]*\))?\??(\.\w+\([^()]*\))*\.(toLowerCase|localeCompare|normalize|trim)\(/i,
  /\.(includes|indexOf|has|get|add|startsWith|endsWith)\((?!['"`])[\w.]*email\b/i,
  /blindIndex(es)?\('holder-email', (?!canonicalEmail|plaintext\b|box\.unseal)/,
];
const faultsIn = (source: string): string[] =>
  source
    .split('\n')
    .map((line) => line.replace(/\/\/.*$|^\s*\*.*$|^\s*\/\*\*.*$/, ''))
    .filter((line) => FAULTS.some((fault) => fault.test(line)));

describe('The sources', () => {
  it('the sources compare addresses only with the one function', () => {
    const files = sourceFiles('src').filter(
      (file) => !['src/holders/email.ts', 'src/common/email-address.ts'].includes(file),
    );
    const faults = files.flatMap((file) =>
      faultsIn(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`),
    );
    expect(faults).toEqual([]);
  });

  it.each([
    'if (email !== undefined && email !== claimed.email)',
    'const isOwn = holders.emailOf(row) === email;',
    'if (row && holders.emailOf(row) !== email)',
    'const recipient = row.email.trim().toLowerCase();',
    'if (seen.has(row.email)) return;',
    'const first = firstOf.get(request.email);',
    "models.find({ emailHash: { $in: box.blindIndexes('holder-email', email) } })",
    'return rows.filter((row) => row.email == email);',
  ])('the check of the sources would find: %s', (line) => {
    expect(faultsIn(line)).toHaveLength(1);
  });
});
