// `audit export --actor` and `operator-key list`: what is none is said, and counts are in English.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { folderOf, runCli } from './run-cli.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  const body = { name: 'Harbour', verifierDid: 'did:web:harbour.example' };
  expect((await gateway.admin('PUT', '/v1/admin/verifiers/harbour', { body })).status).toBe(200);
});
afterAll(() => gateway.close());

const cli = (...args: string[]) =>
  runCli(args, { MONGODB_URI: databaseUri(gateway.app.connection.name), DATA_DIR: folderOf() });
const ofActor = (actor: string) => cli('audit', 'export', '--actor', actor);

it('audit export writes the entries of an actor', async () => {
  const actor = JSON.parse((await cli('audit', 'export')).out).actor;
  const { code, out } = await ofActor(actor);
  expect([code, JSON.parse(out).subject]).toEqual([0, 'harbour']);
});

it.each([
  ['ada', /^--actor must be "operator <name of the key>" or "partner <partnerId>"; "ada" is neither\.\n$/],
  ['operator', /^--actor must be /],
  ['', /^--actor must be /],
  ['operator nobody', /^No entry has the actor "operator nobody"\.\n$/],
  ['partner 00000000-0000-4000-8000-000000000000', /^No entry has the actor /],
])('audit export refuses "%s" as an actor', async (actor, sentence) => {
  expect(await ofActor(actor)).toEqual({ code: 1, out: '', err: expect.stringMatching(sentence) });
});

it('audit export counts one key, and two keys', async () => {
  await cli('operator-key', 'create', 'ada', '--role', 'read');
  expect((await cli('operator-key', 'list')).out).toMatch(/\n1 key\n$/);
  await cli('operator-key', 'create', 'bob', '--role', 'read');
  expect((await cli('operator-key', 'list')).out).toMatch(/\n2 keys\n$/);
});
