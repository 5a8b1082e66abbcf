// Conditions for planning: converted and compared, by REST and GraphQL alike; and the encoding of a schema version.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const POINTS: readonly (readonly [name: string, type: string, isRequired: boolean])[] = [
  ['age', 'int', true],
  ['born', 'date', false],
  ['address.city', 'string', false],
  ['tags', 'string[]', false],
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ clock: () => NOW });
  const dataPoints = POINTS.map(([name, type, isRequired]) => ({
    name,
    title: name,
    type,
    isRequired,
    description: '',
  }));
  await putSchema('person', dataPoints);
});
afterAll(() => gateway?.close());

async function putSchema(id: string, dataPoints: object[]): Promise<void> {
  const body = { title: id, description: '', dataPoints };
  const { status } = await gateway.admin('PUT', `/v1/admin/schemas/${id}`, { body });
  expect(status).toBe(200);
}

const COMPARE = `query ($input: CompareConditionsInput!) {
  compareConditions(input: $input) { equivalent aImpliesB bImpliesA disjoint }
}`;
const CONVERT = 'query ($input: ConvertConditionsInput!) { convertConditions(input: $input) { value } }';

describe('Conditions', () => {
  it('both APIs compare conditions on a schema', async () => {
    const body = { a: ['age >= 21', 'born <= today'], b: ['age >= 18', 'born <= 2026-11-22'], schemaId: 'person' };
    const expected = { equivalent: false, aImpliesB: true, bImpliesA: false, disjoint: false };
    const { status, body: answer } = await gateway.rest('POST', '/v1/conditions/compare', { body });
    expect([status, answer]).toEqual([200, expected]);
    expect((await gateway.gql(COMPARE, { input: body })).data).toEqual({ compareConditions: expected });
  });

  it('both APIs convert conditions', async () => {
    const value = ['age >= 18', 'address.city in ["Porto", "Faro"]'];
    const query = { credentialSubject: { age: { $gte: 18 }, 'address.city': { $in: ['Porto', 'Faro'] } } };
    const { body } = await gateway.rest('POST', '/v1/conditions/convert', {
      body: { from: 'text', to: 'iden3', value },
    });
    expect(body).toEqual({ value: query });
    const { data } = await gateway.gql(CONVERT, { input: { from: 'IDEN3', to: 'TEXT', value: query } });
    expect(data).toEqual({ convertConditions: { value } });
  });

  it.each<[string, object, number, string]>([
    ['compare', { a: ['age >='], b: [], schemaId: 'person' }, 400, '"a[0]" is wrong at position 6'],
    ['compare', { a: [], b: ['height > 3'], schemaId: 'person' }, 400, 'no data point "height"'],
    ['compare', { a: ['address.city = today'], b: [], schemaId: 'person' }, 400, 'not the date today'],
    ['compare', { a: ['address.city > "M"'], b: [], schemaId: 'person' }, 400, 'texts and JSON have no order'],
    ['compare', { a: [], b: [], schemaId: 'nothing' }, 404, 'nothing'],
    ['compare', { a: Array.from({ length: 65 }, () => 'age > 1'), b: [], schemaId: 'person' }, 400, '"a"'],
    ['compare', { a: ['x'.repeat(4_097)], b: [], schemaId: 'person' }, 400, '"a[0]"'],
    ['compare', { a: 'age > 1', b: [], schemaId: 'person' }, 400, '"a" must be a list'],
    ['compare', { a: [], b: [], schemaId: 'person', c: 1 }, 400, '"c"'],
    ['convert', { from: 'text', to: 'dcql', value: ['age >= 18'] }, 400, 'DCQL has no $gte'],
    ['convert', { from: 'text', to: 'sql', value: [] }, 400, '"to" must be one of'],
    ['convert', { from: 'text', to: 'iden3' }, 400, '"value" is missing'],
    ['convert', { from: 'iden3', to: 'text', value: { credentialSubject: { age: { $exists: false } } } }, 400, 'exist'],
  ])('a conversion has a status: %s of %j is %d', async (name, body, status, words) => {
    const answer = await gateway.rest('POST', `/v1/conditions/${name}`, { body });
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(words);
  });

  it('GraphQL refuses conditions with the same code', async () => {
    const input = { a: ['age >='], b: [], schemaId: 'person' };
    const { errors } = await gateway.gql(COMPARE, { input });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'a[0]' });
  });

  it('one address may compare conditions 60 times a minute', async () => {
    // Far ahead: the store takes away what has expired by its own clock.
    const quiet = await startGateway({ clock: () => Date.UTC(2100, 0, 1) });
    try {
      const body = { from: 'text', to: 'text', value: ['age > 1'] };
      const ask = async () => (await quiet.rest('POST', '/v1/conditions/convert', { body })).status;
      const statuses: number[] = [];
      for (let at = 0; at < 61; at += 1) statuses.push(await ask());
      expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
      const { status, headers } = await quiet.rest('POST', '/v1/conditions/compare', {
        body: { a: [], b: [], schemaId: 'person' },
      });
      expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
    } finally {
      await quiet.close();
    }
  });
});

describe('The encoding of a schema version', () => {
  const encoding = (path: string) => gateway.rest('GET', `/v1/schemas/${path}/encoding`);

  it('the encoding of a schema version lists its points in the order of their messages', async () => {
    const { status, headers, body } = await encoding('person/versions/1');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=86400, immutable']);
    expect(body).toEqual({
      suite: 'core-bbs-1',
      points: [
        { name: 'age', family: 'number', isRequired: true },
        { name: 'born', family: 'date', isRequired: false },
        { name: 'address.city', family: 'text', isRequired: false },
        { name: 'tags', family: 'json', isRequired: false },
      ],
    });
  });

  it('there is no encoding of unknown versions, and of too many points', async () => {
    expect((await encoding('person/versions/2')).status).toBe(404);
    const point = (at: number) => ({ name: `p${at}`, title: 'P', type: 'string', isRequired: false, description: '' });
    await putSchema(
      'wide',
      Array.from({ length: 65 }, (_, at) => point(at)),
    );
    const { status, body } = await encoding('wide/versions/1');
    expect([status, body.message]).toEqual([404, expect.stringContaining('more than 64 data points')]);
  });
});
