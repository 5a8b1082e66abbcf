// Operations over server-sent events (graphql-sse, distinct connections mode), as curl and graphql-sse's own client receive them.
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner, type TestPartner } from '../../support/partner.js';
import { append, issuanceEvents, namesOf } from './log.js';

let gateway: TestGateway;
let partner: TestPartner;

beforeAll(async () => {
  gateway = await startGateway();
  partner = await registerPartner(gateway);
});
afterAll(() => gateway.close());

const EVENTS = 'subscription ($after: ID) { issuanceEvents(after: $after) { id coreClaimHash } }';

interface Streamed {
  status: number;
  headers: Headers;
  /** Resolves with the received text once it contains `wanted`. */
  until(wanted: string): Promise<string>;
  cancel(): void;
}

async function stream(init: RequestInit, search = ''): Promise<Streamed> {
  const stop = new AbortController();
  const answer = await fetch(`${gateway.url}/graphql${search}`, { ...init, signal: stop.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: string): Promise<string> => {
    while (!text.includes(wanted)) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended without ${wanted}: ${text}`);
      text += value;
    }
    return text;
  };
  return { status: answer.status, headers: answer.headers, until, cancel: () => stop.abort() };
}

const post = async (body: object, headers: Record<string, string> = {}): Promise<Streamed> =>
  stream({
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

const get = (parameters: Record<string, string>, headers: Record<string, string> = {}): Promise<Streamed> =>
  stream({ headers: { accept: 'text/event-stream', ...headers } }, `?${new URLSearchParams(parameters)}`);

describe('An event stream', () => {
  it("an event stream sends a subscription's events, by POST or GET", async () => {
    const token = { 'x-partner-auth': await partner.token() };
    for (const open of [() => post({ query: EVENTS }, token), () => get({ query: EVENTS, variables: '{}' }, token)]) {
      const events = await open();
      expect(events.status).toBe(200);
      expect(events.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(await events.until('\n\n')).toBe(':\n\n');
      await append(gateway, issuanceEvents(partner.partnerId, 'a', 2));
      const text = await events.until('a-1');
      const told = [...text.matchAll(/event: next\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data).data);
      expect(told.map(({ issuanceEvents: { coreClaimHash } }) => coreClaimHash)).toEqual(['a-0', 'a-1']);
      events.cancel();
    }
  });

  it('an event stream sends the result of a query once, and completes', async () => {
    const answered = await post({ query: '{ __typename }' });
    expect(await answered.until('complete')).toBe(
      ':\n\nevent: next\ndata: {"data":{"__typename":"Query"}}\n\nevent: complete\ndata:\n\n',
    );
  });

  it('an event stream refuses the same as HTTP', async () => {
    const large = await post({ query: `{ ${'__typename '.repeat(1_001)} }` });
    expect(await large.until('complete')).toContain('"code":"QUERY_TOO_LARGE"');
    const nobody = await post({ query: EVENTS });
    expect(await nobody.until('complete')).toContain('"code":"UNAUTHENTICATED"');
    expect((await post({ query: EVENTS }, { 'x-partner-auth': 'bad' })).status).toBe(403);
    expect((await post({ query: 7 })).status).toBe(400);
    expect((await get({ query: 'mutation { __typename }' })).status).toBe(405);
    const foreign = await post({ query: '{ __typename }' }, { origin: 'https://elsewhere.example' });
    expect(foreign.status).toBe(403);
    expect((await post({ query: `{ __typename } #${'x'.repeat(262_144)}` })).status).toBe(413);
  });

  it('an event stream is not sent to clients that also accept JSON', async () => {
    for (const accept of [
      'application/json, text/event-stream',
      'application/json;q=0.1, text/event-stream',
      '*/*, text/event-stream;q=0',
      '*/*, text/event-stream;q=0.5',
    ]) {
      const answered = await post({ query: '{ __typename }' }, { accept });
      expect(await answered.until('}'), accept).toBe('{"data":{"__typename":"Query"}}\n');
    }
  });

  it('an event stream is not sent to clients that refuse it', async () => {
    expect((await post({ query: '{ __typename }' }, { accept: 'text/event-stream;q=0' })).status).toBe(406);
  });

  it('an event stream is sent to clients that refuse JSON, or name its type together with any type', async () => {
    for (const accept of ['application/json;q=0, text/event-stream', '*/*, text/event-stream']) {
      const answered = await post({ query: '{ __typename }' }, { accept });
      expect(await answered.until('complete'), accept).toContain('event: next');
    }
  });

  it('a subscription needs an event stream, and is refused as JSON', async () => {
    const { status, errors } = await gateway.gql('subscription { catalogChanged { id } }');
    expect(status).toBe(406);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'NOT_ACCEPTABLE', httpStatus: 406 });
  });

  it("an event stream works with graphql-sse's own client, which resumes with after", async () => {
    const client = createClient({
      url: `${gateway.url}/graphql`,
      headers: async () => ({ 'x-partner-auth': await partner.token() }),
    });
    const live = client.iterate<{ issuanceEvents: { id: string; coreClaimHash: string } }>({ query: EVENTS });
    const first = live.next();
    // The first event reports that the stream is open.
    const opened = append(gateway, issuanceEvents(partner.partnerId, 'open', 1));
    let told = false;
    void first.then(() => {
      told = true;
    });
    await opened;
    while (!told) await append(gateway, issuanceEvents(partner.partnerId, 'open', 1));
    const after = (await first).value?.data?.issuanceEvents.id;
    await append(gateway, issuanceEvents(partner.partnerId, 'b', 20));
    const resumed = client.iterate<{ issuanceEvents: { coreClaimHash: string } }>({
      query: EVENTS,
      variables: { after },
    });
    const seen: string[] = [];
    for await (const { data } of resumed) {
      const hash = data?.issuanceEvents.coreClaimHash ?? '';
      if (hash !== 'open-0') seen.push(hash);
      if (seen.length === 20) break;
    }
    expect(seen).toEqual(namesOf('b', 20));
    await live.return?.();
    client.dispose();
  });
});
