// Every pass over a document visits a fragment once, so its work is at most linear in the document. Work is measured as
// reads of the document's selections and field names, never as time; a compiled operation is made from such reads only.
import fc from 'fast-check';
import { type DocumentNode, getOperationAST, Kind, parse, validate, visit } from 'graphql';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildGatewaySchema } from '../../../src/compose/schema.js';
import { conditionVariables, rootFields, sizeOf } from '../../../src/graphql/documents/document-facts.js';
import { checkNames, Limits, MAX_TOKENS } from '../../../src/graphql/documents/limits.js';
import { makeExecutor } from '../../../src/graphql/execution/executor.js';
import { RowTextCache } from '../../../src/graphql/execution/row-text-cache.js';
import { textOf } from '../../../src/graphql/execution/written-data.js';
import { resumingVariable } from '../../../src/graphql/subscriptions/resuming-variable.js';

const schema = buildGatewaySchema();
const limits = new Limits(schema);
/** The variable sets a larger number for a long run. Each run has a new document. */
const RUNS = Number(process.env.PASSES_RUNS ?? 60);

let reads = 0;
beforeEach(() => {
  reads = 0;
});

/** The document in which reads of selections and field names are counted, and the number of these. */
function counted(text: string): { document: DocumentNode; size: number } {
  const document = parse(text, { maxTokens: MAX_TOKENS });
  let size = 0;
  const count = (node: object, key: string): void => {
    const value: unknown = Reflect.get(node, key);
    size += 1;
    Object.defineProperty(node, key, {
      enumerable: true,
      get: () => {
        reads += 1;
        return value;
      },
    });
  };
  visit(document, {
    SelectionSet: { leave: (node) => count(node, 'selections') },
    Field: { leave: (node) => count(node, 'name') },
  });
  reads = 0;
  return { document, size };
}

function operationOf(document: DocumentNode) {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return operation;
}

/** How a fragment spreads the following ones. */
type Nesting = (names: readonly string[]) => string;

/** Nested fragments: each has fields of its own, and spreads some of the following fragments in one of these ways. */
const NESTINGS: readonly Nesting[] = [
  (names) => names.map((name) => `...${name}`).join(' '),
  (names) => names.map((name) => `... on Query { ...${name} }`).join(' '),
  (names) => names.map((name) => `... @include(if: true) { ...${name} ...${name} }`).join(' '),
  (names) => names.map((name) => `... @skip(if: $no) { ...${name} }`).join(' '),
];
const FIELDS = ['__typename', 'whoAmI { kind }', 'b: whoAmI { kind scopes }', 'issuers(first: 1) { totalCount }'];

interface Link {
  nesting: number;
  next: number[];
  field: number;
}

function textOfLinks(links: readonly Link[]): string {
  const fragments = links.map(({ nesting, next, field }, at) => {
    const names = next.map((step) => `F${Math.min(at + step, links.length)}`);
    return `fragment F${at} on Query { ${NESTINGS[nesting]?.(names)} ${FIELDS[field]} }`;
  });
  return `query ($no: Boolean = false) { ...F0 } ${fragments.join(' ')} fragment F${links.length} on Query { __typename }`;
}

const documents = fc
  .array(
    fc.record({
      nesting: fc.nat(NESTINGS.length - 1),
      next: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
      field: fc.nat(FIELDS.length - 1),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map(textOfLinks)
  .filter(fits);

function fits(text: string): boolean {
  try {
    parse(text, { maxTokens: MAX_TOKENS });
    return true;
  } catch {
    return false;
  }
}

/** Objects with two aliases on each level, so that the response itself doubles with each. */
const aliased = fc.integer({ min: 1, max: 5 }).map((levels) => {
  const fragment = (at: number) =>
    `fragment F${at} on Credential { a: issuer { ...I${at} } b: issuer { ...I${at} } } fragment I${at} on Issuer { credentials(first: 1) { nodes { ${at + 1 < levels ? `...F${at + 1}` : 'name'} } } }`;
  return `{ credential(credentialId: "a") { ...F0 } } ${Array.from({ length: levels }, (_, at) => fragment(at)).join(' ')}`;
});

/**
 * Fields with few different names, as many as are allowed: validation compares all fields of one name with each other.
 */
const repeated = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('kind', 'kind scopes', 'kind kind kid: kind')), {
    minLength: 1,
    maxLength: 150,
  })
  .map((fields) => `{ ${fields.map(([alias, inner]) => `${alias}: whoAmI { ${inner} }`).join(' ')} }`)
  .filter((text) => fits(text) && !tooOften(text));

function tooOften(text: string): boolean {
  try {
    checkNames(parse(text));
    return false;
  } catch {
    return true;
  }
}

type Pass = (document: DocumentNode) => unknown;

/** Each pass, and how often it may read each part of a document. */
const PASSES: readonly [string, Pass, number][] = [
  ['counting names', checkNames, 3],
  ['the limits', (document) => quietly(() => limits.check(document, operationOf(document))), 8],
  ['whether an answer may be kept', (document) => rootFields(document, operationOf(document)), 3],
  ['the variables of @include and @skip', (document) => conditionVariables(document, new Set()), 6],
  ['the size of a document', sizeOf, 3],
  ['the variable that resumes', (document) => resumingVariable(document, operationOf(document)), 4],
  ['validation', (document) => validate(schema, document), 800],
];

function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // The operation was refused; the reads until then count.
  }
}

describe('The work of a pass is at most linear in the document:', () => {
  it.each(PASSES)('the work of a pass is at most linear in the document: %s', (_, pass, most) => {
    fc.assert(
      fc.property(fc.oneof(documents, aliased, repeated), (text) => {
        const { document, size } = counted(text);
        reads = 0;
        pass(document);
        expect(reads).toBeLessThanOrEqual(most * size);
      }),
      { numRuns: RUNS },
    );
  });

  it('the work of compiling and running a document is at most linear in the document', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(documents, aliased), async (text) => {
        const { document, size } = counted(text);
        const operation = operationOf(document);
        const taken = { values: 0 };
        quietly(() => {
          limits.check(document, operation);
          taken.values = sizeOf(document);
        });
        fc.pre(taken.values > 0);
        const execute = makeExecutor(schema, { kind: 'compiled', rowTexts: new RowTextCache(1_000_000) });
        reads = 0;
        const first = textOf(await execute(document, { context: contextOfNobody }));
        const once = reads;
        expect(once).toBeLessThanOrEqual(60 * (size + Math.min(taken.values, 50_000)));
        for (let run = 0; run < 4; run += 1)
          expect(textOf(await execute(document, { context: contextOfNobody }))).toBe(first);
      }),
      { numRuns: RUNS },
    );
  });
});

/** Nothing is found in it. */
const catalogOfNothing = {
  credentials: { load: () => null },
  list: () => ({ nodes: [], total: () => ({ count: 0 }) }),
};
const reading = { loaders: { catalog: catalogOfNothing } };
const contextOfNobody = {
  caller: { kind: 'anonymous' },
  loaders: { catalog: catalogOfNothing, contexts: { byLoaders: reading, cacheable: reading } },
};

describe('A document', () => {
  it('a document of 40 fragments that double is checked as fast as one of 4', () => {
    const text = (many: number) =>
      `{ ...F0 } ${Array.from({ length: many }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`).join(' ')} fragment F${many} on Query { issuers { totalCount } }`;
    const work = (many: number) => {
      const { document, size } = counted(text(many));
      for (const [, pass] of PASSES.slice(0, -1)) pass(document);
      return reads / size;
    };
    expect(work(40)).toBeLessThanOrEqual(work(4) * 1.5);
  });

  it('a document in which one name occurs too often is refused before it is validated', () => {
    const { document, size } = counted(`{ ${'whoAmI { kind } '.repeat(200)} }`);
    expect(() => checkNames(document)).toThrow(
      'The document has 200 fields of the name "whoAmI"; at most 100 are allowed.',
    );
    expect(reads).toBeLessThanOrEqual(3 * size);
    expect(document.definitions[0]?.kind).toBe(Kind.OPERATION_DEFINITION);
  });
});
