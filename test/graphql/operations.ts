// Operations for comparing executors: those in the test files, and generated ones over the whole schema, some of them with wrong arguments.

import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { dice } from '../catalog/network.js';
import { sourceFiles } from '../support/imports.js';

export interface Sample {
  text: string;
  variables: Record<string, unknown>;
}

/** Whether a text is a valid document. */
export function isValid(schema: GraphQLSchema, text: string): boolean {
  try {
    return validate(schema, parse(text)).length === 0;
  } catch {
    return false;
  }
}

/** Every text in the tests that is a valid document without placeholders. */
export function suiteOperations(schema: GraphQLSchema): string[] {
  const texts = sourceFiles('test').flatMap((file) => {
    const literals = readFileSync(file, 'utf8').matchAll(/`([^`$]*)`|'((?:[^'\n\\])*)'/g);
    return [...literals].map(([, template, quoted]) => template ?? quoted ?? '');
  });
  return [...new Set(texts)].filter((text) => text.includes('{') && isValid(schema, text));
}

const DEPTH = 5;

/** Makes one operation with each call of `make`. The same seed gives the same operations. */
export class OperationMaker {
  readonly #roll: (sides: number) => number;
  #definitions = new Map<string, string>();
  #variables: Record<string, unknown> = {};
  #fragments: string[] = [];
  #aliases = 0;

  constructor(
    private readonly schema: GraphQLSchema,
    /** Texts for arguments: existing ids, and others. */
    private readonly texts: readonly string[],
    seed: number,
  ) {
    this.#roll = dice(seed);
  }

  make(): Sample {
    this.#definitions = new Map();
    this.#variables = {};
    this.#fragments = [];
    const query = this.schema.getQueryType();
    if (!query) throw new Error('no query type');
    const body = this.#selections(query, 0);
    const definitions = [...this.#definitions].map(([name, type]) => `$${name}: ${type}`).join(', ');
    const head = definitions ? `query Made(${definitions})` : this.#roll(2) ? 'query Made' : 'query';
    return { text: [`${head} ${body}`, ...this.#fragments].join('\n'), variables: this.#variables };
  }

  #selections(type: GraphQLNamedType, depth: number): string {
    if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${type.name} has no fields`);
    const fields = Object.values(type.getFields()).filter((field) => {
      return depth < DEPTH || isLeafType(getNamedType(field.type as GraphQLOutputType));
    });
    const many = depth === 0 ? 1 + this.#roll(2) : 1 + this.#roll(4);
    const deep = fields.filter((field) => !isLeafType(getNamedType(field.type as GraphQLOutputType)));
    const chosen = Array.from({ length: many }, () => {
      const from = deep.length > 0 && this.#roll(2) ? deep : fields;
      return from[this.#roll(from.length)];
    });
    const parts = chosen.flatMap((field) => (field ? [this.#field(field, depth)] : []));
    if (this.#roll(4) === 0) parts.push(`__typename${this.#condition()}`);
    if (this.#roll(5) === 0 && depth > 0) parts.push(this.#fragment(type, depth));
    return `{ ${parts.join(' ')}${parts.length > 0 && parts.every((part) => !part) ? '__typename' : ''} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    this.#aliases += 1;
    // Most fields have an alias: two fields with one name would need the same arguments.
    const alias =
      this.#roll(200) === 0 ? '__proto__: ' : field.args.length > 0 || this.#roll(6) === 0 ? `a${this.#aliases}: ` : '';
    const given = field.args.flatMap((argument) => this.#argument(argument));
    const args = given.length > 0 ? `(${given.join(', ')})` : '';
    const type = getNamedType(field.type);
    const below = isLeafType(type) ? '' : ` ${this.#selections(type, depth + 1)}`;
    return `${below && !alias ? `a${this.#aliases}: ` : alias}${field.name}${args}${this.#condition()}${below}`;
  }

  #fragment(type: GraphQLNamedType, depth: number): string {
    const possible = isInterfaceType(type) ? this.schema.getPossibleTypes(type) : [];
    const on = possible[this.#roll(possible.length || 1)] ?? type;
    const body = this.#selections(on, Math.max(depth, DEPTH - 1));
    if (this.#roll(2)) return `... on ${on.name}${this.#condition()} ${body}`;
    const name = `F${this.#fragments.length}x${this.#aliases}`;
    this.#fragments.push(`fragment ${name} on ${on.name} ${body}`);
    return `...${name}${this.#condition()} ...${name}${this.#condition()}`;
  }

  #condition(): string {
    if (this.#roll(6) > 0) return '';
    const directive = this.#roll(2) ? '@include' : '@skip';
    const value =
      this.#roll(3) === 0 ? String(this.#roll(2) === 0) : this.#variable('Boolean!', () => this.#roll(2) === 0);
    const other =
      this.#roll(8) === 0 ? ` ${directive === '@skip' ? '@include' : '@skip'}(if: ${this.#roll(2) === 0})` : '';
    return ` ${directive}(if: ${value})${other}`;
  }

  #argument(argument: GraphQLArgument): string[] {
    const required = isNonNullType(argument.type);
    if (!required && this.#roll(3) > 0) return [];
    if (this.#roll(2)) return [`${argument.name}: ${this.#literal(argument.type, 0)}`];
    return [`${argument.name}: ${this.#variable(String(argument.type), () => this.#value(argument.type, 0))}`];
  }

  /** Declares a new variable. Now and then its value is missing, null, or of a wrong type. */
  #variable(type: string, value: () => unknown): string {
    const name = `v${this.#definitions.size}`;
    this.#definitions.set(name, type);
    const fate = this.#roll(40);
    if (fate === 0) this.#variables[name] = { not: ['what', 'fits'] };
    else if (fate < 3) this.#variables[name] = null;
    else if (fate > 4) this.#variables[name] = value();
    return `$${name}`;
  }

  #literal(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.#literal(type.ofType, depth);
    if (this.#roll(15) === 0) return 'null';
    // A variable inside an input object or a list.
    if (depth > 0 && this.#roll(6) === 0) return this.#variable(String(type), () => this.#value(type, depth));
    if (isListType(type)) return `[${this.#literal(type.ofType, depth + 1)}, ${this.#literal(type.ofType, depth + 1)}]`;
    if (isEnumType(type)) return this.#value(type, depth) as string;
    if (!isInputObjectType(type)) return JSON.stringify(this.#value(type, depth));
    const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || this.#roll(4) === 0);
    return `{ ${fields.map((field) => `${field.name}: ${this.#literal(field.type, depth + 1)}`).join(', ')} }`;
  }

  #value(type: GraphQLInputType, depth: number): unknown {
    if (isNonNullType(type)) return this.#value(type.ofType, depth);
    if (isListType(type)) return [this.#value(type.ofType, depth + 1)];
    if (isEnumType(type)) return type.getValues()[this.#roll(type.getValues().length)]?.name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => isNonNullType(field.type) || this.#roll(4) === 0,
      );
      return Object.fromEntries(fields.map((field) => [field.name, this.#value(field.type, depth + 1)]));
    }
    return this.#leaf(getNamedType(type).name);
  }

  #leaf(type: string): unknown {
    const sizes = [1, 2, 3, 5, 10, 0, -1, 101];
    if (type === 'Int') return sizes[this.#roll(this.#roll(3) === 0 ? sizes.length : 5)];
    if (type === 'DateTime') return this.#roll(10) === 0 ? 'noon' : '2024-01-05T00:00:00.000Z';
    if (type === 'Boolean') return this.#roll(2) === 0;
    return this.texts[this.#roll(this.texts.length)];
  }
}
