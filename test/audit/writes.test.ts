// Every write of an operator or a partner is in the audit log: each mutation and each REST write is either in doors.ts, and leaves an entry,
// or is listed here as one that writes nothing of theirs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditRow, auditModels } from '../../src/audit/models.js';
import { OPERATIONS } from '../../src/compose/domains.js';
import { restRoutes } from '../../src/compose/routes.js';
import type { Audited } from '../../src/http/routes/operation.js';
import { AUDIT_OPERATIONS } from '../../src/store/audit-operations.js';
import { eventually } from '../support/eventually.js';
import { EMAIL, type Membership } from '../support/membership.js';
import { logIn } from '../support/partner.js';
import {
  asOperator,
  asPartner,
  call,
  credential,
  DOORS,
  id,
  issueBody,
  issuer,
  path,
  schema,
  startWorlds,
  subject,
  verifier,
} from './doors.js';
import { ERASURE_DOORS } from './erasure-doors.js';
import { MIRROR_DOOR } from './mirror-door.js';

/** What is no write of an operator or a partner, and whose it is. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  ...all('a holder does it', [
    ...['answerVerification', 'initialize', 'logout'],
    ...['setSigningKey', 'updateSessionConfig', 'verifyLogin', 'login'],
    ...['POST /v1/auth/login', 'POST /v1/auth/verify', 'POST /v1/auth/rehydrate', 'POST /v1/auth/logout'],
    ...['POST /v1/auth/partner-link', 'POST /v1/auth/partner-link/redeem'],
    ...['POST /v1/holders/me/key', 'POST /v1/holders/me/key/rotate', 'PUT /v1/holders/me/signing-key'],
    ...['PUT /v1/holders/me/partners/:partnerId', 'POST /v1/holders/me/core-id'],
    ...['POST /v1/credentials/issue', 'POST /v1/verifications/:id/answer'],
    'POST /v1/chain/rpc',
    ...doorsOf('holder'),
  ]),
  ...all('nothing is written', [
    ...['checkProof', 'POST /v1/verifications/check', 'POST /v1/conditions/convert', 'POST /v1/conditions/compare'],
    ...['POST /v1/programs/:id/plan', 'POST /v1/admin/schemas/:id/impact', 'POST /v1/why'],
    ...['POST /v1/revocations/previews', 'previewRevocation', 'POST /v1/auth/token'],
    ...doorsOf('none'),
  ]),
};

/** The field and the route of mutations whose rows say so. */
function doorsOf(audited: Audited): string[] {
  return OPERATIONS.filter(({ audit }) => audit === audited).flatMap(({ name, rest }) => [
    name,
    ...(rest ? [`${rest.method} ${rest.path}`] : []),
  ]);
}

function all(why: string, doors: readonly string[]): Record<string, string> {
  return Object.fromEntries(doors.map((door) => [door, why]));
}

let world: Membership;
let chained: Membership;
let session: Record<string, string>;
beforeAll(async () => {
  ({ world, chained } = await startWorlds());
  session = { authorization: await logIn(world.gateway, { ...world, rest: world.partner }, EMAIL) };
});
afterAll(async () => {
  await world?.gateway.close();
  await chained?.gateway.close();
});

const ALL_DOORS = [...DOORS, ...ERASURE_DOORS, MIRROR_DOOR];

const rowsOf = (of: Membership, requestId: string) =>
  auditModels(of.gateway.app.connection).entries.find({ requestId }).lean<AuditRow[]>();

describe('The audit log', () => {
  it('every write of operators and partners leaves an entry: each is tried below, or is listed as none', () => {
    const routes = restRoutes(world.gateway.app.services, undefined as never, { health: {} } as never);
    const writes = routes.flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path}`]));
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
    const listed = [...ALL_DOORS.map(([door]) => door), ...Object.keys(NOT_AUDITED)];
    expect(listed.sort()).toEqual([...writes, ...mutations].sort());
  });

  it.each(ALL_DOORS)('the audit log has an entry of %s', async (_door, operation, act) => {
    const { requestId, status, body } = await act();
    expect([status < 300, body]).toEqual([true, expect.anything()]);
    const of = operation === 'core-id.claim' ? chained : world;
    const rows = await rowsOf(of, requestId);
    expect(rows.map((row) => row.operation)).toContain(operation);
    const row = rows.find((each) => each.operation === operation);
    const isOperators = [row?.actor, row?.kid];
    const partners = [`partner ${of.partnerId}`, 'k1'];
    expect([['operator configured', null], partners]).toContainEqual(isOperators);
  });

  it('every operation of the list leaves an entry', async () => {
    const told = new Set<string>(ALL_DOORS.map(([, operation]) => operation));
    // A holder without a key gets one when a partner first asks for it.
    const email = 'five@example.org';
    await logIn(world.gateway, { ...world, rest: world.partner }, email);
    const { requestId } = await asPartner('POST', '/v1/auth/initialize-user', { email });
    for (const { operation } of await rowsOf(world, requestId)) told.add(operation);
    // Written by what erases in the background, about the entries of the holder's creation.
    const { entries } = auditModels(world.gateway.app.connection);
    await eventually(async () => expect(await entries.countDocuments({ operation: 'audit.erase' })).toBe(2));
    told.add('audit.erase');
    expect([...told].sort()).toEqual(Object.keys(AUDIT_OPERATIONS).sort());
  });

  it('an entry has the state before and after, and the actor', async () => {
    const name = id();
    const put = async (body: object) => (await asOperator('PUT', path('verifiers', name), body)).requestId;
    const first = await put(verifier(name));
    const second = await put({ ...verifier(name), name: 'Renamed' });
    const [created] = await rowsOf(world, first);
    expect(created).toMatchObject({ subject: name, outcome: 'created', before: null });
    const [updated] = await rowsOf(world, second);
    expect(updated?.outcome).toBe('updated');
    expect(JSON.parse(updated?.before ?? '')).toMatchObject({ name, live: true });
    expect(JSON.parse(updated?.after ?? '')).toMatchObject({ name: 'Renamed', live: true });
    // The same again writes nothing.
    expect(await rowsOf(world, await put({ ...verifier(name), name: 'Renamed' }))).toEqual([]);
  });

  it('a refused write leaves no entry', async () => {
    const { requestId, status } = await asOperator('PUT', path('credentials', 'none'), {
      ...credential(),
      issuerId: 'none',
    });
    expect(status).toBe(400);
    expect(await rowsOf(world, requestId)).toEqual([]);
  });

  it('writes of holders leave no entry', async () => {
    const { requestId, status } = await call(
      world,
      'PUT',
      `/v1/holders/me/partners/${world.partnerId}`,
      { authorization: `Bearer ${session.authorization}` },
      { consent: 'accepted' },
    );
    expect(status).toBeLessThan(300);
    expect(await rowsOf(world, requestId)).toEqual([]);
  });

  it('an entry does not reveal which holder a partner asked for a proof', async () => {
    const { body } = await asPartner('POST', '/v1/auth/initialize-user', { email: 'asked@example.org' });
    const { userId } = JSON.parse(body);
    const named = { programId: 'levels', userId };
    const { requestId, status } = await asPartner('POST', '/v1/verifications', named, 'verify');
    expect(status).toBe(201);
    const [started] = await rowsOf(world, requestId);
    expect(JSON.parse(started?.after ?? '')).toMatchObject({ programId: 'levels' });
    expect(JSON.stringify(started)).not.toContain(userId);
  });

  it('the audit log has no secret, no plaintext and no address', async () => {
    const apiKey = `secret-${id()}`;
    const body = { ...issuer('sealed'), availableVcUrl: 'https://issuer.example/vc', apiKey };
    await asOperator('PUT', path('issuers', 'sealed'), body);
    const note = 'plaintext of the note';
    await asPartner('POST', '/v1/credentials/issue-on-behalf', {
      ...issueBody('canary@example.org'),
      credentialSubject: { ...subject, note },
    });
    await asPartner('POST', '/v1/auth/initialize-user', { email: 'canary@example.org', partnerUserId: 'u-canary' });
    const rows = JSON.stringify(await auditModels(world.gateway.app.connection).entries.find().lean());
    for (const secret of [apiKey, note, 'canary', 'apiKeyHash', 'secret-path', 'sealed"', world.gateway.operatorKey])
      expect(rows.replaceAll('"sealed"', '')).not.toContain(secret);
  });
});
