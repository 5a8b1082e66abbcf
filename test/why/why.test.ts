// `why` says what the gateway does: for every operation, and a table of tokens, partners and settings, its verdict is that of the operation.
import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_PARTNER_OPERATIONS, type PartnerOperation } from '../../src/base/callers/partner-operations.js';
import type { Check } from '../../src/base/callers/rules.js';
import { ACTS, type About, type OwnPartner, questionOf, seconds, startWhyWorld, type WhyWorld } from './world.js';

let world: WhyWorld;
let full: OwnPartner;
beforeAll(async () => {
  world = await startWhyWorld();
  full = await world.makePartner(Object.keys(CASES).length + 3);
});
afterAll(() => world?.gateway.close());

interface Case {
  /** Whose things are asked for. */
  own: OwnPartner;
  token: string;
  about?: Partial<About>;
}

/** A partner whose record was changed after it came to own something. */
async function changed(change: object): Promise<OwnPartner> {
  const own = await world.makePartner();
  await world.put(`partners/${own.partnerId}`, { ...own.record, ...change });
  return own;
}
const withToken = async (claims: object, header: object = {}): Promise<Case> => ({
  own: full,
  token: await full.sign(claims, header),
});
const withRecord = async (change: object, claims: object = {}, header: object = {}): Promise<Case> => {
  const own = await changed(change);
  return { own, token: await own.sign(claims, header) };
};
const about = async (facts: Partial<About>): Promise<Case> => ({ own: full, token: await full.sign(), about: facts });

const CASES: Readonly<Record<string, () => Promise<Case>>> = {
  'a partner with every right': () => withToken({}),
  'a token of scope issue': () => withToken({ scope: 'issue' }),
  'a token of scope verify': () => withToken({ scope: 'verify' }),
  'a token of no scope of the record': () => withToken({ scope: 'read' }),
  'a token without scope': () => withToken({ scope: undefined }),
  'a token that has expired': () => withToken({ exp: seconds(-60) }),
  'a token without exp': () => withToken({ exp: undefined }),
  'a token that lives for an hour': () => withToken({ exp: seconds(3_600) }),
  'a token that begins later': () => withToken({ nbf: seconds(3_600) }),
  'a token that was made later': () => withToken({ iat: seconds(3_600) }),
  'a token without typ': () => withToken({}, { typ: undefined }),
  'a token without kid': () => withToken({}, { kid: undefined }),
  'a token of an unknown kid': () => withToken({}, { kid: 'k2' }),
  'a token of an unknown partner': () => withToken({ partnerId: '00000000-0000-4000-8000-000000000000' }),
  'a token without partnerId': () => withToken({ partnerId: undefined }),
  'a token that another key signed': async () => {
    const { privateKey } = await generateKeyPair('ES256');
    return { own: full, token: await full.sign({}, {}, privateKey) };
  },
  'a text that is no token': async () => ({ own: full, token: 'no token' }),
  'a partner of scope issue': () => withRecord({ scopes: ['issue'] }),
  'a partner of scope verify': () => withRecord({ scopes: ['verify'] }),
  'a partner that need not send typ': () => withRecord({ requireTyp: false }, {}, { typ: undefined }),
  'a partner that need not send scope': () => withRecord({ requireScope: false }, { scope: undefined }),
  'a partner without issuing on behalf': () => withRecord({ issueOnBehalf: false }),
  'a partner that may act for no issuer': () => withRecord({ issuerDids: [] }),
  'a partner of other verifiers': () => withRecord({ verifierIds: ['other'] }),
  'a partner that was retired': async () => {
    const own = await world.makePartner();
    await world.gateway.admin('DELETE', `/v1/admin/partners/${own.partnerId}`);
    return { own, token: await own.sign() };
  },
  'a holder that has declined': async () => {
    const own = await world.makePartner();
    const { headers } = world.holder;
    await world.gateway.rest('PUT', `/v1/holders/me/partners/${own.partnerId}`, {
      body: { consent: 'declined' },
      headers,
    });
    return { own, token: await own.sign() };
  },
  'an unknown issuer': () =>
    about({ issuerDid: 'did:x:none', claimIssuerDid: 'did:x:none', cakIssuerId: 'none', cakIssuerDid: 'did:x:none' }),
  'an issuer of the other kind': () =>
    about({ issuerDid: world.about.claimIssuerDid, claimIssuerDid: world.issuerDid }),
  'an unknown credential': () => about({ credentialId: 'none', claimCredentialId: 'none' }),
  "another issuer's credential": () => about({ credentialId: 'own-member', claimCredentialId: 'member' }),
  'a window that is closed': () => about({ credentialId: 'ended', claimCredentialId: 'own-ended' }),
  'a maximum that is reached': () => about({ credentialId: 'scarce' }),
  'a program that is unknown': () => about({ programId: 'none' }),
  'a redirect to an own origin': () => about({ redirectUrl: 'https://own.example/back' }),
  'a redirect to elsewhere': () => about({ redirectUrl: 'https://elsewhere.example/back' }),
  "another partner's issuance": async () => about({ coreClaimHash: (await world.makePartner()).coreClaimHash }),
};

/** Refusals that deliberately tell less than `why`. */
const GENERIC = /^The partner token is not valid: it must be a JWT|^There is no CAK of this holder/;
const operator = () => ({ 'x-admin-api-key': world.gateway.operatorKey });

interface Answer {
  verdict: string;
  checks: Check[];
}

async function whyIn(question: object, headers: Record<string, string>): Promise<Answer> {
  const { status, body } = await world.gateway.rest('POST', '/v1/why', { body: question, headers });
  expect([status, body]).toEqual([200, expect.anything()]);
  return body;
}

const nameOf = (operation: string) => operation.replace(/[A-Z]/g, '_$&').toUpperCase();
const FIELDS = 'operation partnerId verdict sentence checks { rule verdict sentence mend }';

async function whyByGraphql(question: Record<string, string>, headers: Record<string, string>): Promise<Answer> {
  const { operation = '', ...rest } = question;
  const names = Object.keys(rest);
  const typeOf = (name: string) => (name === 'partnerId' ? 'ID' : 'String');
  const declared = ['$operation: PartnerOperation!', ...names.map((name) => `$${name}: ${typeOf(name)}`)].join(', ');
  const passed = ['operation', ...names].map((name) => `${name}: $${name}`).join(', ');
  const document = `query (${declared}) { why(${passed}) { ${FIELDS} } }`;
  const { data } = await world.gateway.gql(document, { ...rest, operation: nameOf(operation) }, headers);
  return { ...data.why, operation };
}

async function compare(operation: PartnerOperation, { own, token, about: facts }: Case) {
  const subject: About = { ...world.about, coreClaimHash: own.coreClaimHash, ...facts };
  const question = { ...questionOf(operation, subject), token };
  const answer = await whyIn(question, operator());
  const real = await ACTS[operation](world, own, token, subject);
  const first = answer.checks.find(({ verdict }) => verdict === 'FORBIDDEN');
  const isGeneric = GENERIC.test(real.body?.message ?? '');
  return {
    answer,
    question,
    said: [operation, answer.verdict, isGeneric || real.status < 300 ? undefined : first?.sentence],
    done: [operation, real.status < 300 ? 'ALLOWED' : 'FORBIDDEN', isGeneric ? undefined : real.body?.message],
  };
}

describe('The verdict of why', () => {
  it.each(Object.keys(CASES))('the verdict of why is what each operation does, for %s', async (name) => {
    const given = await CASES[name]?.();
    if (given === undefined) throw new Error(`there is no case ${name}`);
    const outcomes: Awaited<ReturnType<typeof compare>>[] = [];
    for (const operation of ALL_PARTNER_OPERATIONS) outcomes.push(await compare(operation, given));
    const all = (which: 'said' | 'done') => outcomes.map((outcome) => outcome[which]);
    expect(all('said')).toEqual(all('done'));
    const [last] = outcomes.slice(-1);
    if (last) expect(await whyByGraphql(last.question as never, operator())).toEqual(last.answer);
  });

  it('over the table, no operation is always allowed or always forbidden', async () => {
    const verdicts = new Map<PartnerOperation, Set<string>>();
    for (const make of [
      CASES['a token of scope issue'],
      CASES['a token of scope verify'],
      CASES['a text that is no token'],
    ])
      for (const operation of ALL_PARTNER_OPERATIONS) {
        const given = await make?.();
        if (given === undefined) throw new Error('there is no such case');
        const { answer } = await compare(operation, given);
        verdicts.set(operation, (verdicts.get(operation) ?? new Set()).add(answer.verdict));
      }
    for (const [, seen] of verdicts) expect([...seen].sort()).toEqual(['ALLOWED', 'FORBIDDEN']);
  });
});

describe('A partner', () => {
  const asked = async (question: object, by: OwnPartner) =>
    world.gateway.rest('POST', '/v1/why', { body: question, headers: { 'x-partner-auth': await by.sign() } });

  it('a partner may ask why about itself: by its caller, its id, and its own token, valid or not', async () => {
    const question = questionOf('issueOnBehalf', { ...world.about, coreClaimHash: '' });
    const bodies = await Promise.all([
      asked(question, full),
      asked({ ...question, partnerId: full.partnerId.toUpperCase() }, full),
      asked({ ...question, token: await full.sign({ exp: seconds(-60), scope: 'verify' }) }, full),
    ]);
    expect(bodies.map(({ body }) => [body.partnerId, body.verdict])).toEqual([
      [full.partnerId, 'ALLOWED'],
      [full.partnerId, 'ALLOWED'],
      [full.partnerId, 'FORBIDDEN'],
    ]);
    const [, , { body }] = bodies as [unknown, unknown, { body: Answer }];
    const expired = body.checks.find(({ rule }) => rule === 'token.exp');
    expect(expired).toEqual({
      rule: 'token.exp',
      verdict: 'FORBIDDEN',
      sentence: 'The partner token is not valid: it has expired.',
      mend: expect.stringContaining('exp in seconds'),
    });
  });

  it('a partner gets no explanation about another, whether it exists or not', async () => {
    const other = await world.makePartner();
    const answers = await Promise.all([
      asked({ operation: 'webhooks', partnerId: other.partnerId }, full),
      asked({ operation: 'webhooks', partnerId: '00000000-0000-4000-8000-000000000000' }, full),
      asked({ operation: 'webhooks', token: await other.sign() }, full),
      asked(
        { operation: 'webhooks', token: await full.sign({ partnerId: '00000000-0000-4000-8000-000000000000' }) },
        full,
      ),
    ]);
    const refused = { error: 403, message: 'A partner may ask about itself only.' };
    expect(answers.map(({ body }) => body)).toEqual([refused, refused, refused, refused]);
  });

  it("a partner learns nothing of another's issuance, or of a CAK for an issuer that is not its own", async () => {
    const own = await changed({ issuerDids: [] });
    const facts = { ...world.about, coreClaimHash: full.coreClaimHash };
    const [cak, revocation] = await Promise.all([
      asked(questionOf('cakKey', facts), own),
      asked(questionOf('revokeCredential', facts), own),
    ]);
    const verdictOf = (body: Answer, rule: string) => body.checks.find((check) => check.rule === rule);
    expect(verdictOf(cak.body, 'cak.registered')).toMatchObject({ verdict: 'UNKNOWN' });
    const nothing = await asked(questionOf('revokeCredential', { ...facts, coreClaimHash: '0'.repeat(64) }), own);
    expect(revocation.body).toEqual(nothing.body);
  });
});

describe('An answer', () => {
  it('an explanation repeats neither the token nor a key', async () => {
    const token = await full.sign({ email: 'ada.canary@example.org', secret: 'canary' });
    const { status, body } = await world.gateway.rest('POST', '/v1/why', {
      body: { operation: 'issueOnBehalf', token },
      headers: operator(),
    });
    const text = JSON.stringify(body);
    expect(status).toBe(200);
    for (const part of [...token.split('.'), 'canary', 'k1']) expect(text).not.toContain(part);
  });

  it('the verdict is UNKNOWN, with the missing facts, if nothing forbids', async () => {
    const { body } = await world.gateway.rest('POST', '/v1/why', {
      body: { operation: 'issueOnBehalf', partnerId: full.partnerId },
      headers: operator(),
    });
    expect(body).toMatchObject({ verdict: 'UNKNOWN', partnerId: full.partnerId });
    const unknown = body.checks.filter(({ verdict }: Check) => verdict === 'UNKNOWN');
    expect(unknown.map(({ sentence }: Check) => sentence)).toContain('No issuerDid is given.');
  });

  it.each([
    [{ operation: 'fly' }, '"operation" must be one of'],
    [{ operation: 'webhooks' }, 'Give the "token" or the "partnerId"'],
    [{ operation: 'webhooks', token: 'x', partnerId: '00000000-0000-4000-8000-000000000000' }, 'Give either'],
    [{ operation: 'webhooks', token: 'x'.repeat(20_000) }, '"token" must have at most'],
    [{ operation: 'webhooks', partnerId: 'x' }, '"partnerId" must be a UUID'],
    [{ operation: 'webhooks', more: 1 }, '"more" is not a field'],
  ])('why refuses the question %j', async (question, message) => {
    const { status, body } = await world.gateway.rest('POST', '/v1/why', { body: question, headers: operator() });
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it.each(['nobody', 'a holder'])('why is not for %s', async (who) => {
    const headers = who === 'nobody' ? {} : world.holder.headers;
    const { status } = await world.gateway.rest('POST', '/v1/why', { body: { operation: 'webhooks' }, headers });
    expect(status).toBe(who === 'nobody' ? 401 : 403);
  });
});
