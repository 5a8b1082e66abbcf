// Every example of GraphiQL, run against a new sandbox: unchanged, or with the values that its comment says to paste.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCliProcess } from '../../cli/run-cli.js';
import { type Frame, SseClient } from '../../events/sse-client.js';
import { fileEnd, scratchFolder, startProcess } from '../../support/process.js';

interface Example {
  title: string;
  caller: 'anyone' | 'partner' | 'holder' | 'operator';
  query: string;
  /** JSON, or an empty text. */
  variables: string;
}

const { OPERATIONS }: { OPERATIONS: Example[] } = await import(pathToFileURL('web/operations.js').href);
const { atEnd, end } = fileEnd();
const dataDir = join(scratchFolder(atEnd), 'data');
const keyFile = join(dataDir, 'partner.json');
const tokens: Record<Example['caller'], Record<string, string>> = { anyone: {}, partner: {}, holder: {}, operator: {} };
const played = new Set<string>();
const streams: SseClient[] = [];
let url: string;
let partnerId: string;
let issuerDid: string;
let signToken: () => Promise<string>;

/** The words of a command line; a quoted text is one word. */
const wordsOf = (line: string): string[] => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));

/** Runs a command as the comments of examples show it: the words after `npm run cli --`. */
async function cli(...args: string[]): Promise<string> {
  const { code, out, err } = await runCliProcess(args, { DATA_DIR: dataDir });
  expect([code, err]).toEqual([0, '']);
  return out;
}

beforeAll(async () => {
  ({ url } = await startProcess({ DATA_DIR: dataDir }, [], atEnd));
  const comment = OPERATIONS.find(({ caller }) => caller === 'partner')?.query ?? '';
  const [create = [], token = []] = [...comment.matchAll(/npm run cli -- (.+)/g)].map(([, line = '']) => wordsOf(line));
  const printed = await cli(...create, '--key-file', keyFile);
  [, partnerId = ''] = /^partner (\S+)/.exec(printed) ?? [];
  [, issuerDid = ''] = /issues for +\S+ \((\S+)\)/.exec(printed) ?? [];
  signToken = () => cli(...token, '--key-file', keyFile);
  tokens.operator = { 'x-admin-api-key': readFileSync(join(dataDir, 'operator.key'), 'utf8').trim() };
});
// A token lives for five minutes, which is less than a busy machine may take for all tests.
beforeEach(async () => {
  tokens.partner = { 'x-partner-auth': (await signToken()).trim() };
});
afterAll(() => {
  for (const stream of streams) stream.close();
  end();
});

/** The request of an example. @param paste the values for its variables, or for its input */
function requestOf(title: string, paste: Record<string, unknown> = {}) {
  const example = OPERATIONS.find((each) => each.title === title);
  if (example === undefined) throw new Error(`no example is called ${title}`);
  const { query, caller } = example;
  const variables = example.variables === '' ? {} : JSON.parse(example.variables);
  // The comment names what is to be pasted, and nothing else is pasted.
  const [, said = ''] = /^# Paste: (.+)$/m.exec(query) ?? [];
  expect(said === '').toBe(Object.keys(paste).length === 0);
  for (const [name, value] of Object.entries(paste)) {
    expect(said).toContain(name);
    const place = 'input' in variables ? variables.input : variables;
    expect(place).toHaveProperty(name);
    place[name] = value;
  }
  played.add(title);
  return { headers: tokens[caller], body: { query, variables } };
}

/** Runs a query or a mutation. @returns its only root field */
async function play(title: string, paste?: Record<string, unknown>): Promise<Frame['data']> {
  const { headers, body } = requestOf(title, paste);
  const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const { data, errors }: Frame['data'] = await (
    await fetch(`${url}/graphql`, { ...request, body: JSON.stringify(body) })
  ).json();
  expect(errors, title).toBeUndefined();
  return Object.values(data)[0] as Frame['data'];
}

/** Starts a subscription. @returns a function that waits for its first event */
async function listen(title: string, paste?: Record<string, unknown>): Promise<() => Promise<Frame['data']>> {
  const { headers, body } = requestOf(title, paste);
  const stream = await SseClient.open(`${url}/graphql`, headers, body);
  streams.push(stream);
  return async () => {
    const [first] = await stream.count(1);
    expect(first?.data?.errors, title).toBeUndefined();
    return Object.values(first?.data.data)[0] as Frame['data'];
  };
}

describe('An example of GraphiQL', () => {
  it("an example of GraphiQL reads the catalog, and receives the operator's changes", async () => {
    expect((await play('credentials with issuer, schema and programs')).nodes).toHaveLength(3);
    expect((await play('a filtered list, page by page')).nodes[0]).toHaveProperty('issuer.name');
    expect((await play('search')).issuers.items[0].issuer.issuerId).toBe('lumen-university');
    expect((await play('a program and what it accepts')).acceptedCredentials).not.toEqual([]);
    const changed = await listen('listen to changes');
    expect(await play('write a verifier')).toMatchObject({ result: 'CREATED', verifier: { verifierId: 'harbour' } });
    expect(await changed()).toMatchObject({ changes: [{ kind: 'verifiers', entryId: 'harbour' }] });
  });

  it('an example of GraphiQL logs a holder in with the mailed code', async () => {
    expect(await play('who am I?')).toMatchObject({ kind: 'ANONYMOUS' });
    const logIn = async () => {
      const { loginId } = await play('mail a code', { partnerId });
      const code = (await cli('mailbox', 'ada@example.org')).match(/\b\d{6}\b/g)?.at(-1);
      return (await play('log in with the code', { loginId, code })).result;
    };
    tokens.holder = { authorization: `Bearer ${(await logIn()).token}` };
    expect(await play("the holder's own details")).toMatchObject({ user: { email: 'ada@example.org' } });
    const session = await listen('listen to sessions');
    await logIn();
    expect(await session()).toHaveProperty('__typename');
  });

  it('an example of GraphiQL issues, revokes, and receives both events', async () => {
    expect(await play('resolve the recipient')).toHaveProperty('recipient.userId');
    const [issued, counted] = [
      await listen('listen to issuances'),
      await listen('listen to the counts of a credential'),
    ];
    const { coreClaimHash } = (await play('issue on behalf of a managed issuer', { issuerDid })).issuance;
    expect(await issued()).toMatchObject({ coreClaimHash, credential: { name: 'Age over 18' } });
    expect(await counted()).toHaveProperty('credential.traction.holderCount');
    expect((await play('what the partner issued')).nodes).toMatchObject([{ coreClaimHash }]);
    expect(await play('status of a claim', { coreClaimHash })).toMatchObject({ issuerDid });
    const status = await listen('listen to the status of a claim', { coreClaimHash });
    expect(await play('revoke', { coreClaimHash })).toHaveProperty('revokedAt');
    expect(await status()).toHaveProperty('status.vcStatus');
  });

  it('an example of GraphiQL receives the progress of a batch', async () => {
    const row = 'email,credentialSubject.birthDate,credentialSubject.ageYears\nada@example.org,"""1990-12-10""",35\n';
    const file = join(dataDir, 'rows.csv');
    writeFileSync(file, row);
    await cli('issue-batch', file, '--credential', 'age-over-18-civic', '--key-file', keyFile);
    const [, jobId = ''] = /([0-9a-f]{8}-[0-9a-f-]{27})/.exec(await cli('batch', 'list')) ?? [];
    expect(await (await listen('listen to a batch', { jobId }))()).toMatchObject({ total: 1, done: 1, failed: 0 });
  });

  it('an example of GraphiQL plans, starts and shows a verification', async () => {
    expect(await play('can these credentials meet a program?')).toMatchObject({ result: 'YES' });
    expect((await play('what a program asks, for those who check proofs')).accepted).not.toEqual([]);
    expect((await play('conditions in another language')).value).toBeDefined();
    expect(await play('compare conditions')).toMatchObject({ aImpliesB: true, bImpliesA: false });
    const heard = await listen('listen to results');
    const { verificationId } = (await play('start')).verification;
    expect((await play('what the holder is asked', { verificationId })).accepted).not.toEqual([]);
    expect((await play('results')).nodes).toMatchObject([{ verificationId }]);
    expect(await heard()).toMatchObject({ verificationId });
  });

  it('an example of GraphiQL registers a webhook, and shows the operation', async () => {
    await play('register an endpoint', { url: 'http://127.0.0.1:4100/' });
    expect(await play('endpoints and their health')).toMatchObject([{ url: 'http://127.0.0.1:4100/' }]);
    expect((await play('the audit log')).nodes).toHaveLength(10);
    expect(await play('the chain')).toHaveProperty('configured');
  });

  it('every example of GraphiQL is run by one of these tests', () => {
    expect(OPERATIONS.map(({ title }) => title).filter((title) => !played.has(title))).toEqual([]);
  });
});
