// Rules that a server applies to strict clients of API version 1, to sizes, and to the indexes that it builds.
import type { ServerFacts } from './server-facts.js';
import { type Place, type Uses, usesOf } from './operators.js';
import { type Doc, docOf, docsIn, isDoc, isOperators } from './values.js';

const isStable = (fact: string | undefined): boolean => fact?.startsWith('stable') === true;

/** Each rule that the command breaks, as a sentence. */
export function apiFaults(facts: ServerFacts, command: Doc): string[] {
  const [name = ''] = Object.keys(command);
  const row = facts.commands[name];
  if (row === undefined) return [`the command ${name} is not in API version 1`];
  const uses = usesOf(command);
  return [
    ...fieldFaults(facts, name, command),
    ...operatorFaults(facts, uses),
    ...pipelineFaults(facts, docsIn(command.pipeline)),
    ...(uses.depth > facts.limits.subPipelineDepth ? ['its pipelines stand too deep in each other'] : []),
    ...uses.patterns
      .filter((pattern) => Buffer.byteLength(pattern) > facts.limits.regexPatternBytes)
      .map(() => 'a regular expression is longer than a server takes'),
    ...docsIn(command.indexes).flatMap((index) => indexFaults(facts, index)),
  ];
}

function fieldFaults(facts: ServerFacts, name: string, command: Doc): string[] {
  const generic = new Set(facts.genericArguments.stable);
  const { fields: own = {}, ignoresUnknownFields } = facts.commands[name] ?? {};
  const faults = Object.keys(command)
    .slice(1)
    .filter((field) => !(isStable(own[field]) || generic.has(field) || (ignoresUnknownFields && !(field in own))))
    .map((field) => `the field ${name}.${field} is not in API version 1`);
  for (const list of ['updates', 'deletes', 'indexes'] as const) {
    const fields = new Set(docsIn(command[list]).flatMap((statement) => Object.keys(statement)));
    for (const field of fields) {
      if (!isStable(facts.statementFields[`${list}[]`][field]))
        faults.push(`the field ${list}[].${field} is not in API version 1`);
    }
  }
  return faults;
}

/** The operators that a server has at each place. */
function operatorsAt(facts: ServerFacts): Record<Place, ReadonlySet<string>> {
  const stages = Object.entries(facts.stages).filter(([, when]) => when !== 'NeverInVersion1');
  return {
    stage: new Set(stages.map(([name]) => name)),
    'update stage': new Set(facts.updatePipelineStages),
    expression: new Set(facts.expressions),
    accumulator: new Set(facts.accumulators),
    'match operator': new Set(facts.matchOperators),
    modifier: new Set(facts.updateModifiers),
  };
}

function operatorFaults(facts: ServerFacts, { operators }: Uses): string[] {
  const known = Object.entries(operatorsAt(facts)).flatMap(([place, names]) =>
    [...names].map((name) => `${place} ${name}`),
  );
  const allowed = new Set(known);
  return [...operators].filter((each) => !allowed.has(each)).map((each) => `the ${each} is not in API version 1`);
}

function pipelineFaults(facts: ServerFacts, stages: readonly Doc[]): string[] {
  return stages.flatMap((stage) => {
    const { $changeStream, $collStats } = stage;
    const options = Object.keys(docOf($changeStream)).filter((option) =>
      facts.changeStreamOptionsNotInApi1.includes(option),
    );
    return [
      ...options.map((option) => `the option $changeStream.${option} is not in API version 1`),
      ...(isDoc($collStats) && Object.keys($collStats).join() !== 'count'
        ? ['of $collStats, only the count is in API version 1']
        : []),
    ];
  });
}

function indexFaults(facts: ServerFacts, { name, key, partialFilterExpression }: Doc): string[] {
  const fields = Object.keys(docOf(key)).length;
  return [
    ...(fields > facts.limits.fieldsPerIndex ? [`the index ${name} has ${fields} fields`] : []),
    ...partialFaults(facts, partialFilterExpression).map(
      (fault) => `the index ${name} has ${fault} in its partial filter`,
    ),
  ];
}

/** The operators of a partial filter that a server refuses. */
function partialFaults(facts: ServerFacts, filter: unknown): string[] {
  const allowed = new Set(facts.partialFilterExpressionOperators['7.0']);
  return Object.entries(docOf(filter)).flatMap(([name, value]) => {
    if (name.startsWith('$'))
      return allowed.has(name) ? docsIn(value).flatMap((inner) => partialFaults(facts, inner)) : [name];
    if (value instanceof RegExp) return ['a regular expression'];
    if (!isOperators(value)) return [];
    return Object.entries(value)
      .map(([operator, operand]) => (operator === '$exists' ? `$exists: ${operand}` : operator))
      .filter((operator) => !allowed.has(operator));
  });
}
