// Operations of every kind over the whole schema, by all callers, valid and broken. None breaks the gateway, and data
// has exactly the requested members, each of its type. A failure names its seed. `OPERATION_CASES=20000
// OPERATION_SEED=1 npx vitest run test/hostile/operations.slow.test.ts` runs more cases, FUZZ_SECONDS=60 runs them for
// a time, and FUZZ_TALLY=1 prints how often each field had a value.
import { type GraphQLSchema, isObjectType, parse } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { printTotal } from '../support/total.js';
import { expectNothingInside, HANG_MS } from './answers.js';
import { faultsOf } from './fits-schema.js';
import { type GraphqlCase, graphqlCases } from './graphql-cases.js';
import { HostileWorld } from './hostile-world.js';
import { filled } from './nouns.js';
import { sizeOf } from './size.js';
import { Tally } from './tally.js';

const size = sizeOf('OPERATION', 2);
const tally = new Tally();

let world: HostileWorld;
let schema: GraphQLSchema;
beforeAll(async () => {
  world = await HostileWorld.start();
  schema = buildGatewaySchema({ catalogEnabled: true });
});
afterAll(async () => {
  await world.close();
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types.flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`));
  tally.print(fields.filter((field) => !/^(__|Subscription\.|\w+Event\.)/.test(field)));
});

/** Operations that may change records that other cases need. */
const HARMFUL = /\b(put|retire|erase|logout|withdraw|rotate|set)/;

async function play({ caller, query, variables }: GraphqlCase): Promise<void> {
  await world.prepare();
  const answer = await fetch(`${world.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...world.headersOf(caller) },
    body: filled(JSON.stringify({ query, variables }), world.things),
    signal: AbortSignal.timeout(HANG_MS),
  });
  const text = await answer.text();
  const { data, errors = [] } = JSON.parse(text);
  // This applies without data, too: the first field may have succeeded.
  if (data !== undefined && HARMFUL.test(query)) world.damage();
  tally.count('operations', data === undefined ? `refused as ${errors[0]?.extensions.code}` : 'executed');
  expectNothingInside(answer.status, text);
  expect(data !== undefined || errors.length > 0, text).toBe(true);
  if (data !== undefined)
    expect(
      faultsOf(schema, parse(query), data, (field) => tally.count(field, 'value')),
      text,
    ).toEqual([]);
  for (const { message, extensions } of errors) {
    expect(typeof message).toBe('string');
    expect(extensions.code, text).not.toMatch(/INTERNAL/);
  }
}

it.for(['query', 'mutation'] as const)(
  `whatever is asked by %s, nothing breaks and nothing of the inside is shown (${size.again})`,
  { timeout: size.timeout },
  async (kind, { task }) => {
    const counts = () => [tally.number(/^(executed|refused)/), tally.number(/^executed/)] as const;
    const before = counts();
    await size.play(graphqlCases(schema, kind), play);
    const [played, executed] = counts().map((count, at) => count - (before[at] ?? 0));
    printTotal(
      task,
      `generated operations: ${played} of kind ${kind}, ${executed} of them executed, all answered by data that fits or a named error`,
    );
  },
);
