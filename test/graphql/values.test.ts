// Values that do not fit their types are refused with the same sentences as in REST, naming the argument or the part of it that is wrong (contract
// §11).
import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../src/graphql/messages.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const list = (args: string) => `{ credentials(${args}) { totalCount } }`;
const errorOf = async (query: string, variables?: Record<string, unknown>) => {
  const { errors = [] } = await gateway.gql(query, variables);
  expect(errors.length).toBe(1);
  return errors[0];
};

describe('A literal that does not fit its type names its place', () => {
  it.each([
    [list('first: "ten"'), 'first', 'must be a whole number.'],
    [list('first: 2.5'), 'first', 'must be a whole number.'],
    [list('first: 99999999999'), 'first', 'must be a whole number from -2147483648 to 2147483647.'],
    [list('where: { category: { eq: 5 } }'), 'where.category.eq', 'must be a string.'],
    [list('where: { category: { in: ["a", ["b"]] } }'), 'where.category.in[1]', 'must be a string.'],
    [list('where: { category: { in: [null] } }'), 'where.category.in[0]', 'must not be null.'],
    [list('where: "all"'), 'where', 'must be an object.'],
    [list('where: { category: "id" }'), 'where.category', 'must be an object.'],
    [list('orderBy: { field: LUCK }'), 'orderBy.field', 'must be a value of the enum CredentialOrderField.'],
    [list('orderBy: { field: "NAME" }'), 'orderBy.field', 'must be a value of the enum CredentialOrderField.'],
    [list('orderBy: {}'), 'orderBy.field', 'is missing.'],
    [list('frist: 1'), 'frist', 'is not an argument that is known here; did you mean "first" or "last"?'],
    [
      list('where: { categry: { eq: "a" } }'),
      'where.categry',
      'is not a field that is known here; did you mean "category"?',
    ],
    ['{ credential { name } }', 'credentialId', 'is missing.'],
    ['{ credential(credentialId: null) { name } }', 'credentialId', 'must not be null.'],
    ['{ whoAmI @include(if: "yes") { kind } }', 'if', 'must be true or false.'],
    ['query ($n: Int = "ten") { credentials(first: $n) { totalCount } }', 'variables.n', 'must be a whole number.'],
    [
      list('where: { createdAt: { gt: "yesterday" } }'),
      'where.createdAt.gt',
      'must be a date-time in ISO 8601 with a time zone, such as 2024-05-01T12:00:00Z.',
    ],
  ])('a literal that does not fit its type is reported with its position: %s', async (query, field, rest) => {
    const error = await errorOf(query);
    expect(error?.message).toBe(`"${field}" ${rest}`);
    expect(error?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', field });
    expect(error?.locations?.length).toBe(1);
  });

  it('each of several literals that do not fit is reported with its position', async () => {
    const { errors } = await gateway.gql(`{
      credentials(first: "a", where: { category: { eq: 5 } }) { totalCount }
      again: credentials(where: { createdAt: { gt: "noon" } }) { totalCount }
    }`);
    expect(errors?.map(({ extensions, locations }) => [extensions.field, locations?.[0]?.line])).toEqual([
      ['first', 2],
      ['where.category.eq', 2],
      ['where.createdAt.gt', 3],
    ]);
  });
});

describe('A variable that does not fit its type names the part that is wrong', () => {
  const where = 'query ($where: CredentialWhere) { credentials(where: $where) { totalCount } }';
  const byId = 'query ($id: String!) { credential(credentialId: $id) { name } }';
  const withDefault = 'query ($id: String = "a") { credential(credentialId: $id) { name } }';
  it.each<[string, Record<string, unknown>, string, string]>([
    [byId, {}, 'variables.id', 'is missing.'],
    [byId, { id: null }, 'variables.id', 'must not be null.'],
    [byId, { id: 5 }, 'variables.id', 'must be a string.'],
    [withDefault, { id: null }, 'credentialId', 'must not be null.'],
    [
      'query ($c: String = "a") { credentials(where: { category: { in: [$c] } }) { totalCount } }',
      { c: null },
      'where',
      'does not fit its type.',
    ],
    [where, { where: 'all' }, 'variables.where', 'must be an object.'],
    [where, { where: { category: { in: ['a', 5] } } }, 'variables.where.category.in[1]', 'must be a string.'],
    [where, { where: { category: { in: [null] } } }, 'variables.where.category.in[0]', 'must not be null.'],
    [where, { where: { luck: 1 } }, 'variables.where.luck', 'is not a field that is known here.'],
    [
      where,
      { where: { createdAt: { gt: 'yesterday' } } },
      'variables.where.createdAt.gt',
      'must be a date-time in ISO 8601 with a time zone, such as 2024-05-01T12:00:00Z.',
    ],
    [where, { where: { ['"'.repeat(9)]: 1 } }, 'variables.where', 'does not fit its type.'],
  ])(
    'a variable that does not fit its type is reported with the invalid part: %s %j',
    async (query, variables, field, rest) => {
      const error = await errorOf(query, variables);
      expect(error?.message).toBe(`"${field}" ${rest}`);
      expect(error?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field });
    },
  );
});

it('values are not repeated in errors without a known position either', () => {
  const error = new GraphQLError('Int cannot represent non-integer value: "a secret"');
  expect(refusalOf(error)).toEqual({ message: 'A value must be a whole number.' });
});
