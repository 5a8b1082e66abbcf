// The committed schema follows the rules that GraphQL ESLint recommends, and Relay's. Each rule that does not hold here says why.
import { readFileSync } from 'node:fs';
import graphqlPlugin from '@graphql-eslint/eslint-plugin';
import { ESLint, type Linter } from 'eslint';
import { expect, it } from 'vitest';

const { configs, parser } = graphqlPlugin;

const EXCEPTIONS: Linter.RulesRecord = {
  // Ids are global on `node` alone, and payloads, pages and events' values are none; records have ids of their own (contract §11).
  '@graphql-eslint/strict-id-in-types': 'off',
  // The contract names these fields, the same in REST: `credentialId`, `issuerDid`, `verifierDid`.
  '@graphql-eslint/no-typename-prefix': 'off',
  // The specification asks for one direction; logs are read forwards only.
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
  '@graphql-eslint/relay-edge-types': [
    'error',
    {
      withEdgeSuffix: true,
      // The specification does not ask for it; rows that only their owner reads are no nodes.
      shouldImplementNode: false,
      // Pages have `nodes` too, and short lists of values are lists.
      listTypeCanWrapOnlyEdgeType: false,
    },
  ],
};

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: {
    files: ['**/*.graphql'],
    languageOptions: { parser, parserOptions: { graphQLConfig: { schema: 'schema.graphql' } } },
    plugins: { '@graphql-eslint': graphqlPlugin as ESLint.Plugin },
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      ...EXCEPTIONS,
    } as Linter.RulesRecord,
  },
});

/** What the rules say of a schema, as lines for the person who reads the failure. */
async function problemsOf(schema: string): Promise<string[]> {
  const results = await eslint.lintText(schema, { filePath: 'schema.graphql' });
  return results.flatMap(({ messages }) =>
    messages.map(({ line, ruleId, message }) => `${line} ${ruleId}: ${message}`),
  );
}

it('The schema follows the rules', async () => {
  expect(await problemsOf(readFileSync('schema.graphql', 'utf8'))).toEqual([]);
});

it('The rules see what does not follow them', async () => {
  const problems = await problemsOf('type ThingConnection {\n  "Things."\n  all_things: [Int!]\n}\n');
  const rules = new Set(problems.map((problem) => /@graphql-eslint\/([\w-]+)/.exec(problem)?.[1]));
  expect([...rules]).toEqual(
    expect.arrayContaining(['naming-convention', 'require-description', 'relay-connection-types']),
  );
});
