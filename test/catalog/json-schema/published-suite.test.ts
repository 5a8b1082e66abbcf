// The published test suite of JSON Schema. Each case is a field of a subject: it is imported and checked, and never
// refused by data points alone. The suite (https://github.com/json-schema-org/JSON-Schema-Test-Suite, in its own
// layout) is not part of the project; without it, these tests are skipped.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { schemaFromDocument } from '../../../src/catalog/json-schema/schema-document.js';
import { compileSubject } from '../../../src/catalog/json-schema/subject-check.js';
import { checkSubject } from '../../../src/issuance/subject.js';

type Json = Record<string, unknown>;
type Draft = keyof typeof DIALECTS;

/** A group of cases in the suite's own form. */
interface Group {
  description: string;
  schema: Json | boolean;
  tests: { data: unknown; valid: boolean }[];
}

const SUITE = join(import.meta.dirname, '../../../../shared/data/json-schema-test-suite/tests');
/**
 * Left out are remote documents, vocabularies, numbers beyond 2^53, and formats that are not checked (`idn-*`, `iri*`).
 */
const FILES = [
  ...['additionalItems', 'additionalProperties', 'allOf', 'anchor', 'anyOf', 'boolean_schema', 'const', 'contains'],
  ...['definitions', 'defs', 'dependencies', 'dependentRequired', 'dependentSchemas', 'dynamicRef', 'enum'],
  ...['exclusiveMaximum', 'exclusiveMinimum', 'if-then-else', 'infinite-loop-detection', 'items', 'maxContains'],
  ...['maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength', 'minProperties'],
  ...['minimum', 'multipleOf', 'not', 'oneOf', 'pattern', 'patternProperties', 'prefixItems', 'properties'],
  ...['propertyNames', 'recursiveRef', 'ref', 'required', 'type', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['uniqueItems', 'optional/anchor', 'optional/dynamicRef', 'optional/ecmascript-regex', 'optional/id'],
  ...['optional/non-bmp-regex', 'optional/refOfUnknownKeyword', 'optional/unknownKeyword', 'optional/format/date'],
  ...['optional/format/date-time', 'optional/format/duration', 'optional/format/ecmascript-regex'],
  ...['optional/format/email', 'optional/format/hostname', 'optional/format/ipv4', 'optional/format/ipv6'],
  ...['optional/format/json-pointer', 'optional/format/regex', 'optional/format/relative-json-pointer'],
  ...['optional/format/time', 'optional/format/uri', 'optional/format/uri-reference', 'optional/format/uri-template'],
  ...['optional/format/uuid'],
];
const DID = 'did:core:id:testnet:x';
const DIALECTS = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
};
const CASE = 'https://suite.invalid/case';

/** A document of subjects with the field `v`, which the case's schema describes. */
function documentOf($schema: string, schema: Json | boolean): Json {
  const subject = (v: unknown) => ({ credentialSubject: { properties: { v }, required: ['v'] } });
  if (typeof schema === 'boolean') return { $schema, properties: subject(schema) };
  const $id = typeof schema.$id === 'string' && !schema.$id.startsWith('#') ? schema.$id : CASE;
  return { $schema, properties: subject({ $ref: $id }), $defs: { case: { ...schema, $id } } };
}

/** The reason why a group is refused at import, or how many of its cases have another result than in the suite. */
function resultOf({ schema, tests }: Group, $schema: string): string | number {
  try {
    const document = documentOf($schema, schema);
    const { dataPoints } = schemaFromDocument(document);
    const check = compileSubject(document, DID);
    return tests.filter(({ data: v, valid }) => {
      const misfit = check({ id: DID, v });
      return (misfit === undefined) !== valid || (valid && isNarrower(dataPoints, v));
    }).length;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Whether data points refuse a value that the document allows. The rule that a document must describe all fields is not
 * counted.
 */
function isNarrower(dataPoints: Parameters<typeof checkSubject>[1], v: unknown): boolean {
  try {
    checkSubject({ v }, dataPoints, { hasDocument: true });
    return false;
  } catch (error) {
    return /must be of type|is missing/.test((error as Error).message);
  }
}

function groupsOf(draft: Draft, file: string): Group[] {
  const path = join(SUITE, draft, `${file}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}

/** The totals of a dialect in one line, and how many cases have another result than in the suite. */
function totalsOf(draft: Draft): { line: string; cases: number; other: number } {
  let [cases, other, refused] = [0, 0, 0];
  for (const group of FILES.flatMap((file) => groupsOf(draft, file))) {
    const result = resultOf(group, DIALECTS[draft]);
    cases += group.tests.length;
    if (typeof result === 'string') refused += group.tests.length;
    else other += result;
  }
  const right = cases - other - refused;
  const line = `${draft}: ${cases} cases, ${right} as published, ${other} other, ${refused} under schemas that are refused`;
  return { line, cases, other };
}

/**
 * The share of a dialect's cases that may have another result: cases where ajv differs from the suite, and siblings of
 * `$ref` in draft-07.
 */
const MAX_OTHER = 0.04;

it.for(Object.keys(DIALECTS) as Draft[])(
  'the published suite of %s has the expected verdicts, with a few listed exceptions',
  (draft, { skip }) => {
    if (!existsSync(SUITE)) skip('the published suite is not beside the project');
    const { line, cases, other } = totalsOf(draft);
    console.info(line);
    expect(cases).toBeGreaterThan(1_000);
    expect(other / cases).toBeLessThan(MAX_OTHER);
  },
);
