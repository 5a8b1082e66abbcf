// A write of a credential reads only what it depends on.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';
import { importInto, SMALL_CATALOG } from './admin-fixture.js';

let gateway: TestGateway;
let commands: RequestCommands;
beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true });
  await importInto(gateway, SMALL_CATALOG);
  commands = requestCommandsOf(gateway);
});
afterAll(() => gateway?.close());

const BODY = { name: 'Citizen', category: 'identity', issuerId: 'north', schemaId: 'person' };
const OPENING = ['find credentials'];
const ORIGIN = 'find mirroredEntries';
const WRITES = ['update credentials', 'insert auditEntries'];
const EVENT = 'insert events';

async function put(id: string, body: object): Promise<{ status: number; text: string; sent: string[] }> {
  const write = () => gateway.admin('PUT', `/v1/admin/credentials/${id}`, { body });
  const { result, commands: sent } = await commands.of(write);
  return { status: result.status, text: JSON.stringify(result.body), sent };
}

const cases: [string, object][] = [
  ['another name', { ...BODY, name: 'Citizen of now' }],
  ['another category', { ...BODY, category: 'travel' }],
  ['an end', { ...BODY, accessibleEnd: '2030-01-01T00:00:00.000Z' }],
  ['the first content again', BODY],
];

it.each(cases)('%s of a credential that keeps issuer and schema takes one read, and no counters', async (_, body) => {
  if (body === cases[0]?.[1]) await put('plain', BODY);
  const { status, sent } = await put('plain', body);
  expect(status).toBe(200);
  expect(sent).toEqual([...OPENING, ORIGIN, ...WRITES, EVENT]);
});

it('the same content again takes the reads alone', async () => {
  await put('same', BODY);
  expect((await put('same', BODY)).sent).toEqual([...OPENING, ORIGIN]);
});

it('another issuer or schema is read, and counters follow', async () => {
  await put('moving', BODY);
  const moved = await put('moving', { ...BODY, issuerId: 'south' });
  expect(moved.sent).toEqual(expect.arrayContaining(['find issuers', 'update issuers']));
  expect(moved.sent).not.toContain('find schemas');
  const other = await put('moving', { ...BODY, issuerId: 'south', schemaId: 'none' });
  expect([other.status, other.text]).toEqual([400, expect.stringContaining('names no schema: none')]);
  const unknown = await put('moving', { ...BODY, issuerId: 'none' });
  expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('names no issuer: none')]);
});

it('a retired credential returns only to a live issuer and schema', async () => {
  const issuer = { name: 'Short', issuerDid: 'did:web:short.example', issuerFrom: 'test' };
  await gateway.admin('PUT', '/v1/admin/issuers/short', { body: issuer });
  await put('returning', { ...BODY, issuerId: 'short' });
  expect((await gateway.admin('DELETE', '/v1/admin/issuers/short')).status).toBe(409);
  await gateway.admin('DELETE', '/v1/admin/credentials/returning');
  expect((await gateway.admin('DELETE', '/v1/admin/issuers/short')).status).toBe(204);
  const refused = await put('returning', { ...BODY, issuerId: 'short' });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('names no issuer: short')]);
  expect((await put('returning', BODY)).status).toBe(200);
});
