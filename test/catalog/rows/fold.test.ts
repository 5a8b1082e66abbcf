// Search and `contains` find names by any of their spellings, also names that an earlier version stored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFOLDED_TERMS } from '../../../src/catalog/rows/refold-terms.js';
import { updateRows } from '../../../src/store/row-updates.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

/** Names, texts that find them, and the words that an earlier version stored for them. */
const NAMES: [name: string, found: string[], former: string[]][] = [
  ['Straße der Pässe', ['strasse', 'STRASSE', 'straße', 'STRAẞE', 'strass'], ['straße', 'der', 'passe']],
  ['Fußball', ['fussball', 'fußball', 'Fussb'], ['fußball']],
  ['Ærø', ['aero', 'ærø', 'AERO', 'ÆRØ'], ['ærø']],
  ['Łódź Đakovo', ['lodz', 'łódź', 'ŁÓDŹ dakovo', 'lodz đak'], ['łodz', 'đakovo']],
  ['Işık', ['isik', 'ışık', 'IŞIK'], ['isık']],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  for (const [at, [name]] of NAMES.entries()) {
    const body = { name, issuerDid: `did:web:i${at}.example`, issuerFrom: 'x' };
    expect((await gateway.admin('PUT', `/v1/admin/issuers/i${at}`, { body })).status).toBe(200);
  }
});
afterAll(() => gateway.close());

const contains = async (text: string): Promise<string[]> => {
  const query = 'query ($text: String) { issuers(where: { name: { contains: $text } }) { nodes { name } } }';
  const { data, errors } = await gateway.gql(query, { text });
  expect(errors).toBeUndefined();
  return data.issuers.nodes.map(({ name }: { name: string }) => name);
};
const search = async (text: string): Promise<string[]> => {
  const query =
    'query ($text: String!) { search(query: $text, types: [ISSUER]) { issuers { items { issuer { name } } } } }';
  const { data } = await gateway.gql(query, { text });
  return data.search.issuers.items.map(({ issuer }: { issuer: { name: string } }) => issuer.name);
};
const storeAs = async (terms: readonly string[], at: number): Promise<void> => {
  await gateway.app.connection.collection('issuers').updateOne({ _id: `i${at}` as never }, { $set: { terms } });
};

describe.each(NAMES)('%s', (name, found) => {
  it.each(found)('a name (%s) is found by search and by contains', async (text) => {
    expect(await contains(text)).toEqual([name]);
    await eventually(async () => expect((await search(text))[0]).toBe(name));
  });
});

describe('Rows of an earlier version', () => {
  const known = new Set(['straße', 'fußball', 'ærø', 'łódź', 'Işık']);
  beforeAll(async () => {
    await gateway.app.connection.collection('checkpoints').deleteOne({ _id: 'terms refolded' as never });
    for (const [at, [, , former]] of NAMES.entries()) await storeAs(former, at);
  });

  it('rows of an earlier version are found by their own letters, as before', async () => {
    for (const text of known) expect(await contains(text), text).toHaveLength(1);
  });

  it('rows of an earlier version are found by all spellings after migrate, which adds words and removes none', async () => {
    await updateRows(gateway.app.connection, [REFOLDED_TERMS]);
    for (const [at, [name, found, former]] of NAMES.entries()) {
      for (const text of found) expect(await contains(text), text).toEqual([name]);
      const row = await gateway.app.connection.collection('issuers').findOne({ _id: `i${at}` as never });
      expect(row?.terms).toEqual(expect.arrayContaining(former));
    }
  });

  it('rows of an earlier version are updated once', async () => {
    await storeAs(['fußball'], 1);
    await updateRows(gateway.app.connection, [REFOLDED_TERMS]);
    expect(await contains('fussball')).toEqual([]);
    await storeAs(['fussball'], 1);
  });
});
