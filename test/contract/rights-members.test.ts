// Who may write which member: every member of every entry is changed alone, in every way of writing and by a key of
// every role. The table of the results is committed; a new member has to be added to it (vitest -u) and reviewed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR_ROLES, type OperatorRole } from '../../src/base/callers/caller.js';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { importInto } from '../catalog/admin/admin-fixture.js';
import { networkOf, type SourceServer, startSource } from '../catalog/mirror/source-server.js';
import { documentOf } from '../support/document-of.js';
import type { TestGateway } from '../support/gateway.js';
import { startMembership } from '../support/membership.js';
import {
  type Body,
  bodyOf,
  importMembers,
  putMembers,
  putReferences,
  WRITTEN_KINDS,
  type WrittenKind,
  withChange,
} from './member-changes.js';

type Headers = Record<string, string>;
let gateway: TestGateway;
let keys: Record<OperatorRole, Headers>;
const schema = buildGatewaySchema({ catalogEnabled: true });

beforeAll(async () => {
  ({ gateway } = await startMembership());
  await putReferences(gateway);
  keys = { read: await keyOf('read'), catalog: await keyOf('catalog'), all: await keyOf('all') };
});
afterAll(() => gateway?.close());

async function keyOf(role: OperatorRole): Promise<Headers> {
  const mutation = `mutation { createOperatorKey(input: { name: "${role}", role: ${role.toUpperCase()} }) { key } }`;
  const { data } = await gateway.gql(mutation, {}, { 'x-admin-api-key': gateway.operatorKey });
  return { 'x-admin-api-key': data.createOperatorKey.key };
}

/**
 * One way to write a body: returns `ok`, or the status of the refusal. The refusal of an import line has no status; for
 * it, 403 or `refused` is returned.
 */
type Door = (kind: WrittenKind, id: string, body: Body, headers: Headers) => Promise<string>;

const rest: Door = async (kind, id, body, headers) => {
  const { status } = await gateway.rest('PUT', `/v1/admin/${kind}/${id}`, { body, headers });
  return status === 200 ? 'ok' : String(status);
};

const graphql: Door = async (kind, id, body, headers) => {
  const noun = kind.slice(0, -1);
  const name = `put${noun[0]?.toUpperCase()}${noun.slice(1)}`;
  const scopes = (body.scopes as string[] | undefined)?.map((scope) => scope.toUpperCase());
  const input = { [`${noun}Id`]: id, ...body, ...(scopes && { scopes }) };
  const { query, variables } = documentOf(schema, 'mutation', name, { input });
  const { errors } = await gateway.gql(query, variables, headers);
  const refused = errors?.find(({ path }) => path?.length === 1 || path === undefined);
  return refused ? String(refused.extensions.httpStatus) : 'ok';
};

const imported: Door = async (kind, id, body, headers) => {
  const response = await fetch(`${gateway.url}/v1/admin/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: JSON.stringify({ kind, id, ...body }),
  });
  if (!response.ok) return String(response.status);
  const { result, message } = (await response.json()) as { result: string; message?: string };
  if (result !== 'refused') return 'ok';
  return message?.includes('needs an operator key with the role "all"') ? '403' : 'refused';
};

const DOORS = [
  ['PUT', rest, putMembers],
  ['mutation', graphql, putMembers],
  ['import', imported, importMembers],
] as const;

const newId = (kind: WrittenKind): string => (kind === 'partners' ? randomUUID() : `x${randomUUID().slice(0, 8)}`);

const WIDTH = 44;
const line = (row: string, cells: readonly string[]): string =>
  `${row.padEnd(WIDTH)}${cells.map((cell) => cell.padEnd(9)).join('')}`.trimEnd();

/** Sends the request with a key of each role, all at once. */
async function rowOf(row: string, ask: (headers: Headers, role: OperatorRole) => Promise<string>): Promise<string> {
  return line(row, await Promise.all(OPERATOR_ROLES.map((role) => ask(keys[role], role))));
}

/** A member that can be written in this way, and an entry for each role. */
interface Cell {
  door: Door;
  row: string;
  kind: WrittenKind;
  member: string | undefined;
  ids: Record<OperatorRole, string>;
}

const cellsOf = (): Cell[] =>
  DOORS.flatMap(([name, door, membersOf]) =>
    WRITTEN_KINDS.flatMap((kind) =>
      [undefined, ...membersOf(kind)].map((member) => ({
        ...{ door, kind, member },
        row: `${name} ${kind}${member === undefined ? ', a new one' : `.${member}`}`,
        ids: { read: newId(kind), catalog: newId(kind), all: newId(kind) },
      })),
    ),
  );

it('every member that an operator writes has its row', async () => {
  const cells = cellsOf();
  const changed = cells.filter(({ member }) => member !== undefined);
  const entries = changed.flatMap(({ kind, ids }) =>
    Object.values(ids).map((id) => ({ kind, id, ...bodyOf(kind, id) })),
  );
  const results = await importInto(gateway, entries);
  expect(results.filter(({ result }) => result !== 'created')).toEqual([]);
  const rows = [line('', OPERATOR_ROLES)];
  for (const { row, door, kind, member, ids } of cells)
    rows.push(
      await rowOf(row, (headers, role) => {
        const id = ids[role];
        return door(kind, id, member === undefined ? bodyOf(kind, id) : withChange(kind, member, id), headers);
      }),
    );
  rows.push(...(await mirrorRows()));
  await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot('rights-members.txt');
});

it.each(DOORS)('a retired issuer comes back by a key of the role "all" alone, by %s', async (_name, door) => {
  const id = newId('issuers');
  const body = withChange('issuers', 'availableVcUrl', id);
  expect(await door('issuers', id, body, keys.all)).toBe('ok');
  expect(await door('issuers', id, { ...body, name: 'B' }, keys.catalog)).toBe('ok');
  expect((await gateway.rest('DELETE', `/v1/admin/issuers/${id}`, { headers: keys.all })).status).toBe(204);
  expect(await door('issuers', id, body, keys.catalog)).toBe('403');
  expect((await gateway.admin('GET', `/v1/admin/issuers/${id}`)).status).toBe(404);
  expect(await door('issuers', id, body, keys.all)).toBe('ok');
  expect(await door('issuers', id, { ...body, name: 'B' }, keys.catalog)).toBe('ok');
});

/** Another value for each of these members of the issuer that a source has. */
const MIRRORED = { name: 'B', issuerDid: 'did:web:taken-over.example', issuerFrom: 'US' };

/** Mirrors sources with the same entries, for one role after the other. */
async function mirrorRow(row: string, ask: (headers: Headers) => Promise<string>): Promise<string> {
  const cells: string[] = [];
  for (const role of OPERATOR_ROLES) cells.push(await ask(keys[role]));
  return line(row, cells);
}

async function mirrorRows(): Promise<string[]> {
  const rows = [
    await mirrorRow('mirror issuers, a new one', (headers) => withSource((source) => run(source, headers))),
  ];
  for (const [member, value] of Object.entries(MIRRORED)) {
    const changed = (headers: Headers) =>
      withSource(async (source) => {
        expect(await run(source, keys.all)).toBe('ok');
        for (const credential of source.network.credentials.values())
          Object.assign(credential, { issuer: { ...(credential.issuer as object), [member]: value } });
        return run(source, headers);
      });
    rows.push(await mirrorRow(`mirror issuers.${member}`, changed));
  }
  return rows;
}

async function withSource(work: (source: SourceServer) => Promise<string>): Promise<string> {
  const source = await startSource(networkOf(1));
  try {
    return await work(source);
  } finally {
    await source.close();
    const { connection } = gateway.app;
    for (const name of ['mirroredEntries', 'mirrors']) await connection.collection(name).deleteMany({});
    for (const kind of ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'])
      await connection.collection(kind).deleteMany({ _id: /-0$|^verifier$/ as never });
  }
}

/** Mirrors once: `ok` if the issuer is then as the source has it. */
async function run({ base, network }: SourceServer, headers: Headers): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/admin/mirrors`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ from: base, full: true }),
  });
  if (!response.ok) return String(response.status);
  const text = await response.text();
  const [{ issuerId: _id = '', ...facts } = {}] = [...network.credentials.values()].map(
    ({ issuer }) => issuer as Record<string, string>,
  );
  const row = await gateway.app.connection.collection('issuers').findOne({ _id: _id as never, ...facts });
  if (row !== null) return 'ok';
  return text.includes('needs an operator key with the role \\"all\\"') ? '403' : 'refused';
}
