// What wallets of others can be asked of a program: its record and GraphQL say so, and why the rest cannot be asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import type { TestGateway } from '../../support/gateway.js';
import { SCHEMA, startMembership } from '../../support/membership.js';
import { importInto } from './admin-fixture.js';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-11-26T12:00:00Z');
const ADULT = 'since <= today - 18 years';
const CREDENTIAL = { name: 'Member', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };

let gateway: TestGateway;
let now = NOON;
beforeAll(async () => {
  ({ gateway } = await startMembership({ clock: () => now }));
  await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  const subject = { type: 'object', properties: { status: { type: 'string' } } };
  const $id = 'https://schemas.example/status.json';
  const reserved = { ...SCHEMA, $id, properties: { credentialSubject: subject } };
  await put(`schemas/${encodeURIComponent($id)}`, { jsonSchema: reserved });
  await put('credentials/reserved', { ...CREDENTIAL, schemaId: $id });
  const other = { name: 'Office', issuerFrom: 'government' };
  await put('issuers/unknown', { ...other, issuerDid: 'did:web:unknown.example' });
  await put('issuers/office', {
    ...other,
    issuerDid: 'did:web:office.example',
    walletIssuer: 'https://office.example',
  });
  await put('credentials/unsigned', { ...CREDENTIAL, issuerId: 'unknown', vct: 'urn:a' });
  await put('credentials/untyped', { ...CREDENTIAL, issuerId: 'office' });
  await put('credentials/identity', { ...CREDENTIAL, issuerId: 'office', schemaId: $id, vct: 'urn:eudi:pid:1' });
});
afterAll(() => gateway?.close());

async function put(path: string, body: object) {
  const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const programOf = (accepted: Record<string, string[]>, more: object = {}) => ({
  ...{ name: 'P', description: '', verifierId: 'agency', pricingModel: 'Free', ...more },
  acceptedCredentials: Object.entries(accepted).map(([credentialId, verificationConditions]) => ({
    credentialId,
    verificationConditions,
  })),
});

interface Askability {
  askable: boolean;
  unaskable: { credentialId: string; condition: string | null; why: string }[];
}

async function shown(programId: string): Promise<Askability> {
  const query = 'query ($id: String!) { program(programId: $id) { askable unaskable { credentialId condition why } } }';
  return (await gateway.gql(query, { id: programId })).data.program;
}

/** Writes a program, and expects the same of its record and of GraphQL. */
async function expectAskability(
  accepted: Record<string, string[]>,
  more: object,
  { askable, unaskable }: { askable: boolean; unaskable: [string, string | null, string][] },
): Promise<void> {
  const expected = {
    askable,
    unaskable: unaskable.map(([credentialId, condition, why]) => ({ credentialId, condition, why })),
  };
  expect(await put('programs/p', programOf(accepted, more))).toMatchObject(expected);
  expect((await gateway.admin('GET', '/v1/admin/programs/p')).body).toMatchObject(expected);
  await eventually(async () => expect(await shown('p')).toEqual(expected));
}

describe('A program', () => {
  it.each<[string, Record<string, string[]>, object, boolean, [string, string | null, string][]]>([
    ['values', { member: ['level = 3', 'note = "gold"'] }, {}, true, []],
    ['no conditions', { member: [] }, {}, true, []],
    ['a range', { member: ['level = 3', 'level exists', ADULT] }, {}, false, [['member', ADULT, 'disclose']]],
    ['a range, and it may disclose', { member: [ADULT] }, { disclose: true }, true, []],
    [
      'a list',
      { member: ['note in ["a", "b"]'] },
      { disclose: false },
      false,
      [['member', 'note in ["a", "b"]', 'disclose']],
    ],
    ['an order of texts', { member: ['note > "a"'] }, { disclose: true }, false, [['member', 'note > "a"', 'order']]],
    ['a credential without a form for wallets', { reserved: [] }, {}, false, [['reserved', null, 'form']]],
    ['one of two credentials', { member: [], reserved: [] }, {}, true, [['reserved', null, 'form']]],
    ['an issuer whose keys nobody knows', { unsigned: [] }, {}, false, [['unsigned', null, 'keys']]],
    ['a credential of another issuer without a type', { untyped: [] }, {}, false, [['untyped', null, 'vct']]],
    ['a credential of another issuer', { identity: ['status = "a"'] }, {}, true, []],
    ['no credentials', {}, {}, false, []],
  ])('is asked for %s', async (_, accepted, more, askable, unaskable) => {
    await expectAskability(accepted, more, { askable, unaskable });
  });

  it('disclosure is a member of its own, false unless it is stated, from imports too', async () => {
    const body = programOf({ member: [ADULT] });
    const { etag } = await put('programs/d', body);
    expect(await put('programs/d', { ...body, disclose: false })).toMatchObject({ etag, disclose: false });
    const [line] = await importInto(gateway, [{ kind: 'programs', id: 'd', ...body, disclose: true }]);
    expect(line).toMatchObject({ result: 'updated' });
    const { body: record } = await gateway.admin('GET', '/v1/admin/programs/d');
    expect(record).toMatchObject({ disclose: true, askable: true });
    expect(record.etag).not.toBe(etag);
    expect(await put('programs/d', body)).toMatchObject({ etag, disclose: false, askable: false });
  });

  it('derived claims of the credential are asked, from when they are written', async () => {
    await expectAskability({ member: [ADULT] }, {}, { askable: false, unaskable: [['member', ADULT, 'disclose']] });
    const derived = [{ name: 'age_equal_or_over.21', condition: 'since <= today - 21 years' }];
    await put('credentials/member', { ...CREDENTIAL, derived });
    await eventually(async () => expect(await shown('p')).toEqual({ askable: true, unaskable: [] }));
    expect((await gateway.admin('GET', '/v1/admin/programs/p')).body).toMatchObject({ askable: true, unaskable: [] });
    await put('credentials/member', {
      ...CREDENTIAL,
      derived: [{ name: 'teen', condition: 'since <= today - 13 years' }],
    });
    await eventually(async () => expect(await shown('p')).toMatchObject({ askable: false }));
  });

  it('a derived claim may imply a condition on one day and not on another', async () => {
    await put('credentials/member', { ...CREDENTIAL, derived: [{ name: 'adult', condition: ADULT }] });
    await put('programs/p', programOf({ member: ['since <= 2008-11-26'] }));
    await eventually(async () => expect(await shown('p')).toEqual({ askable: true, unaskable: [] }));
    now = NOON + DAY_MS;
    expect(await shown('p')).toMatchObject({ askable: false });
    now = NOON;
    expect(await shown('p')).toMatchObject({ askable: true });
  });
});
