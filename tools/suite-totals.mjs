// Prints the totals of suites, a line each, from reports that vitest's JSON reporter has written: node tools/suite-totals.mjs <report> …
// A total is what a test has left in its meta (test/support/total.ts), or the number of a file's tests.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Suites whose cases are tests. */
const SUITES = {
  'test/graphql/subscriptions/protocol.test.ts': 'graphql-ws over raw sockets',
  'test/contract/openapi.test.ts': 'openapi.json and its examples',
  'test/clients/schema-lint.test.ts': 'schema.graphql, by the rules of GraphQL ESLint',
  'test/clients/typed-clients.test.ts': 'typed clients: generated, compiled, run',
  'test/why/why.test.ts': 'why an operation is refused',
};

const files = process.argv.slice(2).flatMap((report) => JSON.parse(readFileSync(report, 'utf8')).testResults);
let documented = 0;
for (const { name, assertionResults: tests } of files) {
  const suite = SUITES[relative('.', name)];
  const passed = tests.filter(({ status }) => status === 'passed').length;
  if (suite !== undefined) console.log(`${suite}: ${passed} of ${tests.length} tests passed`);
  for (const { meta } of tests) {
    if (meta.total !== undefined) console.log(meta.total);
    documented += meta.documented ?? 0;
  }
}
if (documented > 0) console.log(`REST responses compared with openapi.json: ${documented}`);
