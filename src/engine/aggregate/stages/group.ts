// $group, $sortByCount.
import { roughSize } from '../../bson/rough-size.js';
import { valueKey } from '../../bson/sort-key.js';
import { type Doc, isDocument, isNumber, setOwn, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import type { RunningAccumulator } from '../../expressions/accumulators/accumulator.js';
import { compileAccumulator, type GroupAccumulator } from '../../expressions/accumulators/table.js';
import { compilerFor } from '../../expressions/expression.js';
import { type Compiler, int } from '../../expressions/operator.js';
import { documentSpec, inSequence, MemoryMeter, type RunEnv, type Stage, type StageCompiler } from '../stage.js';
import type { Evaluate } from '../../expressions/types.js';
import { compileSort } from './sort.js';

interface GroupState {
  id: unknown;
  states: RunningAccumulator[];
}

/** A compiled $group: the key, and a field for each accumulator. */
export interface Grouping {
  id: Evaluate;
  fields: readonly { name: string; accumulator: GroupAccumulator }[];
}

const GROUP_OVERHEAD = 128;

class Groups {
  readonly #groups = new Map<string, GroupState>();
  readonly #meter = new MemoryMeter('$group');
  readonly #grouping: Grouping;
  readonly #env: RunEnv;

  constructor(grouping: Grouping, env: RunEnv) {
    this.#grouping = grouping;
    this.#env = env;
  }

  add(doc: Doc): void {
    const vars = this.#env.scope;
    const { fields } = this.#grouping;
    const group = this.#groupOf(this.#grouping.id(doc, vars) ?? null);
    for (let i = 0; i < fields.length; i++) {
      const state = group.states[i] as RunningAccumulator;
      const before = state.bytes;
      state.add(fields[i]?.accumulator.input(doc, vars));
      if (state.bytes !== before) this.#meter.add(state.bytes - before);
    }
  }

  #groupOf(id: unknown): GroupState {
    const key = valueKey(id);
    const existing = this.#groups.get(key);
    if (existing) return existing;
    const document = isDocument(id) ? id : {};
    const states = this.#grouping.fields.map((field) => field.accumulator.start(document, this.#env.scope));
    const group = { id, states };
    this.#meter.add(GROUP_OVERHEAD + 2 * roughSize(id) + states.length * 64);
    this.#groups.set(key, group);
    return group;
  }

  *results(): Generator<Doc> {
    for (const group of this.#groups.values()) {
      const doc: Doc = { _id: group.id };
      this.#grouping.fields.forEach((field, i) => {
        setOwn(doc, field.name, group.states[i]?.result() ?? null);
      });
      yield doc;
    }
  }
}

async function* grouped(source: AsyncIterable<Doc>, grouping: Grouping, env: RunEnv): AsyncGenerator<Doc> {
  const groups = new Groups(grouping, env);
  for await (const doc of source) groups.add(doc);
  yield* groups.results();
}

/** A stage that runs a grouping; $bucket uses it too. */
export function groupStage(grouping: Grouping): Stage {
  return { kind: 'stream', run: (source, env) => grouped(source, grouping, env) };
}

/**
 * The key of a group. A missing value counts as null, also if it is the only field of the key; among several fields, it
 * stays missing.
 */
function groupKey(spec: unknown, compiler: Compiler): Evaluate {
  const { run } = compiler.compile(spec);
  const names = isDocument(spec) ? Object.keys(spec) : [];
  const [name] = names;
  if (!isDocument(spec) || name === undefined || name.startsWith('$')) return run;
  if (names.some((each) => isNumber(spec[each]) || typeof spec[each] === 'boolean'))
    fail(17390, '$group does not support inclusion-style expressions');
  if (names.length > 1) return run;
  const value = compiler.compile(spec[name]).run;
  return (doc, vars) => {
    const key: Doc = {};
    setOwn(key, name, value(doc, vars) ?? null);
    return key;
  };
}

/** $group. */
export const group: StageCompiler = (spec, { names }) => {
  const groupSpec = documentSpec(spec, 15947, "a group's fields must be specified in an object");
  if (groupSpec._id === undefined) fail(15955, 'a group specification must include an _id');
  const compiler = compilerFor(names);
  const fields = Object.keys(groupSpec).filter((name) => name !== '_id');
  return groupStage({
    id: groupKey(groupSpec._id, compiler),
    fields: fields.map((name) => ({ name, accumulator: compileAccumulator(name, groupSpec[name], compiler) })),
  });
};

/** $sortByCount: groups by an expression and counts, most first. */
export const sortByCount: StageCompiler = (spec, context) => {
  if (typeof spec === 'string' ? !spec.startsWith('$') : !isDocument(spec)) {
    fail(
      typeof spec === 'string' ? 40148 : 40149,
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    );
  }
  if (isDocument(spec) && !Object.keys(spec)[0]?.startsWith('$')) {
    fail(
      40147,
      `the sortByCount field must be defined as a $-prefixed path or an expression inside an object, not ${typeName(spec)}`,
    );
  }
  const stages = [group({ _id: spec, count: { $sum: int(1) } }, context), compileSort({ count: int(-1) })];
  return inSequence(stages);
};
