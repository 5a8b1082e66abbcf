// Every stage, operator and modifier that a command uses, each with the place where it is used.
import { type Doc, docOf, docsIn, isDoc, isOperators } from './values.js';

export type Place = 'stage' | 'update stage' | 'expression' | 'accumulator' | 'match operator' | 'modifier';

export interface Uses {
  /** Each in the form `place name`. */
  operators: Set<string>;
  /** How deep pipelines are nested. */
  depth: number;
  /** The source of every regular expression. */
  patterns: string[];
}

/** What a command uses, in all of its statements. */
export function usesOf(command: Doc): Uses {
  const walk = new Walk();
  walk.match(command.filter);
  walk.match(command.query);
  walk.projection(command.projection ?? command.fields);
  walk.pipeline(docsIn(command.pipeline), 1);
  if (command.update !== undefined && command.findAndModify !== undefined) walk.update(command.update);
  for (const filter of docsIn(command.arrayFilters)) walk.match(filter);
  for (const { q, u, arrayFilters } of [...docsIn(command.updates), ...docsIn(command.deletes)]) {
    walk.match(q);
    walk.update(u);
    for (const filter of docsIn(arrayFilters)) walk.match(filter);
  }
  return walk;
}

class Walk implements Uses {
  readonly operators = new Set<string>();
  readonly patterns: string[] = [];
  depth = 0;

  #add(place: Place, name: string): void {
    this.operators.add(`${place} ${name}`);
  }

  pipeline(stages: readonly Doc[], depth: number, place: Place = 'stage'): void {
    if (stages.length > 0) this.depth = Math.max(this.depth, depth);
    for (const stage of stages) {
      const [[name, spec] = ['', undefined]] = Object.entries(stage);
      this.#add(place, name);
      this.#stage(name, spec, depth);
    }
  }

  #stage(name: string, spec: unknown, depth: number): void {
    const { pipeline, let: variables, output, groupBy } = docOf(spec);
    if (name === '$match') this.match(spec);
    else if (name === '$group') this.#group(docOf(spec));
    else if (name === '$facet') for (const inner of Object.values(docOf(spec))) this.pipeline(docsIn(inner), depth + 1);
    else if (name === '$lookup' || name === '$unionWith') {
      this.expression(variables);
      this.pipeline(docsIn(pipeline), depth + 1);
    } else if (name === '$bucket' || name === '$bucketAuto') {
      this.expression(groupBy);
      this.#group(docOf(output));
    } else if (!NO_EXPRESSIONS.has(name)) this.expression(spec);
  }

  #group({ _id, ...fields }: Doc): void {
    this.expression(_id);
    for (const field of Object.values(fields)) {
      for (const [name, value] of Object.entries(docOf(field))) {
        this.#add('accumulator', name);
        this.expression(value);
      }
    }
  }

  expression(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.expression(each);
    else if (isDoc(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (name.startsWith('$')) this.#add('expression', name);
        if (name !== '$literal' && name !== '$const') this.expression(inner);
      }
    }
  }

  match(filter: unknown): void {
    for (const [name, value] of Object.entries(docOf(filter))) {
      if (!name.startsWith('$')) this.#condition(value);
      else {
        this.#add('match operator', name);
        if (name === '$expr') this.expression(value);
        else for (const inner of docsIn(value)) this.match(inner);
      }
    }
  }

  #condition(value: unknown): void {
    if (value instanceof RegExp) this.patterns.push(value.source);
    if (!isOperators(value)) return;
    for (const [name, operand] of Object.entries(value)) {
      this.#add('match operator', name);
      if (name === '$regex') this.patterns.push(operand instanceof RegExp ? operand.source : String(operand));
      if (name === '$not' || name === '$all' || name === '$in')
        for (const each of [operand].flat()) this.#condition(each);
      if (name === '$elemMatch') this.#element(operand);
    }
  }

  #element(operand: unknown): void {
    if (isOperators(operand) && !LOGICAL.has(Object.keys(operand)[0] ?? '')) this.#condition(operand);
    else this.match(operand);
  }

  projection(fields: unknown): void {
    for (const value of Object.values(docOf(fields))) {
      const { $elemMatch } = docOf(value);
      if ($elemMatch === undefined) this.expression(value);
      else this.#condition(value);
    }
  }

  update(update: unknown): void {
    if (Array.isArray(update)) this.pipeline(docsIn(update), 1, 'update stage');
    if (!isOperators(update)) return;
    for (const [name, fields] of Object.entries(update)) {
      this.#add('modifier', name);
      if (name !== '$pull') continue;
      for (const value of Object.values(docOf(fields))) this.#element(value);
    }
  }
}

const LOGICAL: ReadonlySet<string> = new Set(['$and', '$or', '$nor', '$expr']);
/** Stages whose specification contains only names and numbers. */
const NO_EXPRESSIONS: ReadonlySet<string> = new Set([
  '$changeStream',
  '$collStats',
  '$count',
  '$limit',
  '$sample',
  '$skip',
  '$sort',
  '$unset',
  '$unwind',
]);
