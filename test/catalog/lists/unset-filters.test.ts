// Filters whose variables are not set must not match everything.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerIssuer } from '../../support/partner.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  for (const id of ['one', 'two']) await registerIssuer(gateway, id);
});
afterAll(() => gateway.close());

describe('a filter with a variable that is not set', () => {
  it.each([
    ['credentials', 'String', 'credentialId: { eq: $value }', 'where.credentialId'],
    ['credentials', '[String!]', 'issuerId: { in: $value }', 'where.issuerId'],
    ['issuers', 'String', 'name: { contains: $value }', 'where.name'],
    ['issuers', 'Int', 'holderCount: { gte: $value }', 'where.holderCount'],
    ['verifiers', 'DateTime', 'createdAt: { gt: $value }', 'where.createdAt'],
  ])(
    'a filter with an unset variable is refused, instead of selecting all %s: %s, %s',
    async (kind, type, where, field) => {
      const query = `query ($value: ${type}) { list: ${kind}(where: { ${where} }) { totalCount nodes { createdAt } } }`;
      for (const variables of [{}, { value: null }]) {
        const { errors } = await gateway.gql(query, variables);
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
        expect(errors?.[0]?.extensions.field).toMatch(new RegExp(`^${field}`));
        expect(errors?.[0]?.message).toMatch(/leave (it )?out/);
      }
    },
  );

  it('an unset variable for a whole filter, or for a field of it, counts as no filter', async () => {
    const query = 'query ($where: CredentialWhere) { list: credentials(where: $where) { totalCount } }';
    const all = (await gateway.gql(query)).data;
    for (const where of [null, {}, { credentialId: null }])
      expect((await gateway.gql(query, { where })).data).toEqual(all);
  });
});
