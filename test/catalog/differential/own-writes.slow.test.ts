// Who has written sees it: a gateway's reads after the response to a write have the written row, in whatever form it is read and
// however many equal reads are in progress.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dice } from '../network.js';
import { type Gateway, type Gateways, startGateways } from './gateways.js';
import { ask, type Question } from './questions.js';
import { pick, send, type Write } from './writes.js';

const WRITES = Number(process.env.WRITES ?? 25);

let gateways: Gateways;
beforeAll(async () => {
  gateways = await startGateways();
});
afterAll(() => gateways.close());

const put = (path: string, body: object): Write => ({ method: 'PUT', path: `/v1/admin/${path}`, body });
const graphql = (query: string): Question => ({
  path: '/graphql',
  body: JSON.stringify({ query }),
  headers: { 'content-type': 'application/json' },
});

/** Each has the name of the credential `c`, which is the number of its last write. */
const QUESTIONS: readonly Question[] = [
  graphql('{ credential(credentialId: "c") { name } }'),
  graphql('{ credentials(where: { credentialId: { in: ["c", "absent"] } }) { totalCount nodes { name } } }'),
  graphql('{ credentials(where: { issuerId: { eq: "i" } }) { totalCount nodes { name } } }'),
  graphql('{ credentials(first: 5, orderBy: { field: NAME }) { totalCount edges { cursor node { name } } } }'),
  graphql('{ issuer(issuerId: "i") { name credentials(first: 3) { totalCount nodes { name } } } }'),
  graphql('{ program(programId: "p") { acceptedCredentials { credential { name } } } }'),
  { path: '/v1/catalog/credentials/c', headers: {} },
  { path: '/v1/catalog/credentials?issuerId=i', headers: {} },
  { path: '/v1/catalog/programs/p', headers: {} },
];

const numberIn = (text: string): number => Number(/write (\d+)/.exec(text)?.[1] ?? -1);

/** Asks the same questions until it is told to stop, so that fills are in progress at each write. */
function readAllTheTime(gateway: Gateway, signal: AbortSignal): Promise<unknown> {
  const reading = async (question: Question): Promise<void> => {
    while (!signal.aborted) expect((await ask(gateway, question)).status).toBe(200);
  };
  return Promise.all(QUESTIONS.map(reading));
}

it('a gateway shows a write from its response on, while others ask for the same', async () => {
  const roll = dice(3);
  const [writer, other] = gateways.cached;
  const first = [
    put('issuers/i', { name: 'I', issuerDid: 'did:web:i.example', issuerFrom: 'x' }),
    put('schemas/s', { title: 'S', description: '', dataPoints: [{ name: 'age', type: 'integer' }] }),
    put('verifiers/v', { name: 'V', verifierDid: 'did:web:v.example' }),
  ];
  for (const write of first) expect(await send(writer, write)).toBe(200);
  const credential = { category: 'x', issuerId: 'i', schemaId: 's' };
  const acceptedCredentials = [{ credentialId: 'c', verificationConditions: [] }];
  const program = { name: 'P', description: '', verifierId: 'v', pricingModel: 'free', acceptedCredentials };
  await send(writer, put('credentials/c', { ...credential, name: 'write 0' }));
  await send(writer, put('programs/p', program));
  const stop = new AbortController();
  const reading = readAllTheTime(writer, stop.signal);
  for (let number = 1; number <= WRITES; number += 1) {
    // Sometimes the last write is another gateway's, whose change is still on its way.
    if (roll(3) === 0)
      await send(other, put('credentials/c', { ...credential, name: `write ${number}`, category: 'y' }));
    await send(writer, put('credentials/c', { ...credential, name: `write ${number}` }));
    const question = pick(QUESTIONS, roll);
    const { status, text } = await ask(writer, question);
    expect([status, numberIn(text)], JSON.stringify(question)).toEqual([200, number]);
  }
  stop.abort();
  await reading;
});
