// Malformed variables, literals and bodies are not repeated: neither in responses nor in the log at its most detailed
// level.
import type { GraphQLInputType, GraphQLSchema } from 'graphql';
import { getNamedType, getNullableType, isEnumType, isInputObjectType, isListType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../src/compose/schema.js';
import { documentOf, inputOf } from '../support/document-of.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { RawSocket } from './subscriptions/raw-socket.js';

const CANARY = 'canary-7f3b';
const gateway = new GatewayProcess({ LOG_LEVEL: 'debug' });
const answers: string[] = [];
let schema: GraphQLSchema;
beforeAll(async () => {
  schema = buildGatewaySchema({ catalogEnabled: true });
  await gateway.start();
});
afterAll(() => gateway.remove());

/** Values that a type does not accept, each with the canary in it. */
function misfits(type: GraphQLInputType): unknown[] {
  const plain = getNullableType(type);
  if (isListType(plain)) return misfits(plain.ofType).map((misfit) => [misfit]);
  if (isInputObjectType(plain))
    return [
      CANARY,
      { [CANARY.replace('-', '_')]: CANARY, ...(inputOf(plain) as object) },
      ...Object.values(plain.getFields()).flatMap((field) =>
        // Nested input types are tested through other fields.
        isInputObjectType(getNamedType(field.type))
          ? [{ ...(inputOf(plain) as object), [field.name]: CANARY }]
          : misfits(field.type).map((misfit) => ({ ...(inputOf(plain) as object), [field.name]: misfit })),
      ),
    ];
  if (plain.name === 'JSON') return [];
  if (plain.name === 'String' || plain.name === 'ID') return [{ a: CANARY }, [CANARY]];
  return isEnumType(plain) ? [CANARY, { a: CANARY }] : [CANARY, `2024-${CANARY}`, { a: CANARY }];
}

async function ask(body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
  answers.push(await answer.text());
}

/** A value written as a literal of GraphQL. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, inner]) => `${name}: ${literal(inner)}`)}}`;
}

it('errors repeat nothing of the variables and literals of any mutation', async () => {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    for (const arg of field.args) {
      const { query } = documentOf(schema, 'mutation', field.name);
      for (const value of misfits(arg.type)) {
        await ask(JSON.stringify({ query, variables: { [arg.name]: value } }));
        await ask(
          JSON.stringify({ query: `mutation { ${field.name}(${arg.name}: ${literal(value)}) { __typename } }` }),
        );
      }
    }
  }
  expect(answers.length).toBeGreaterThan(200);
  expect(new Set(answers.map((answer) => JSON.parse(answer).errors[0].extensions.httpStatus))).toEqual(new Set([400]));
});

it('errors repeat nothing that was sent over a socket', async () => {
  const socket = await RawSocket.open(gateway, { init: {} });
  socket.subscribe('1', 'mutation ($input: VerifyLoginInput!) { verifyLogin(input: $input) { __typename } }', {
    input: { loginId: { a: CANARY }, code: CANARY },
  });
  const refused = await socket.message(({ id }) => id === '1');
  answers.push(JSON.stringify(refused));
  socket.close();
});

it('errors repeat nothing of texts that are no document, no JSON or no variables', async () => {
  const texts = [
    `{ a "${CANARY}" }`,
    `{ a(b: """${CANARY}""" c) }`,
    `"${CANARY}`,
    `query ($a: Int = "${CANARY}") { __typename }`,
  ];
  for (const query of texts) await ask(JSON.stringify({ query }));
  await ask(`{"query": "{ __typename }", "variables": "${CANARY}"}`);
  await ask(`{"query": ${CANARY}}`);
  answers.push(await (await fetch(`${gateway.url}/graphql?query={__typename}&variables=${CANARY}`)).text());
  for (const path of ['/v1/auth/verify', '/v1/auth/login']) {
    const headers = { 'content-type': 'application/json' };
    for (const body of [`{"code": ${CANARY}}`, `{"code": ["${CANARY}"], "email": ["${CANARY}"]}`])
      answers.push(await (await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body })).text());
  }
});

it('no response and no log line contains anything of the texts that were sent', async () => {
  await gateway.stop('SIGTERM');
  expect(answers.filter((answer) => answer.includes(CANARY))).toEqual([]);
  expect(gateway.output.split('\n').filter((line) => line.includes(CANARY))).toEqual([]);
  // The log was at its most detailed level.
  expect(gateway.output).toContain('must be a string');
});
