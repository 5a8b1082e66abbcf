// Expressions compiled to closures: constants, field paths, variables, documents, arrays and operators.
import { type Doc, isDocument, setOwn } from '../bson/types.js';
import { fail } from '../errors.js';
import { checkFieldName, fieldPathParts, pathReader } from './field-path.js';
import { type Compiler, constant, fold } from './operator.js';
import { OPERATORS, REFUSED_OPERATORS } from './operators.js';
import type { Evaluate, Expression, Vars } from './types.js';

const SYSTEM_VARIABLES = ['ROOT', 'CURRENT', 'NOW', 'CLUSTER_TIME', 'REMOVE', 'DESCEND', 'PRUNE', 'KEEP'];

/** System variables with constant values, such as $$KEEP; `$redact` compares them by identity. */
const CONSTANT_VARIABLES: Record<string, unknown> = {
  REMOVE: undefined,
  DESCEND: 'descend',
  PRUNE: 'prune',
  KEEP: 'keep',
};

class ScopedCompiler implements Compiler {
  readonly #names: ReadonlySet<string>;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  define(names: readonly string[]): Compiler {
    return new ScopedCompiler(new Set([...this.#names, ...names]));
  }

  compile(expression: unknown): Expression {
    if (typeof expression === 'string') return this.#string(expression);
    if (Array.isArray(expression)) return this.#array(expression);
    if (isDocument(expression)) return this.#document(expression);
    return constant(expression);
  }

  #string(text: string): Expression {
    if (!text.startsWith('$')) return constant(text);
    if (text.startsWith('$$')) return this.#variable(text.slice(2));
    if (text === '$') fail(16872, "'$' by itself is not a valid FieldPath");
    return this.#below('CURRENT', fieldPathParts(text.slice(1)));
  }

  #variable(path: string): Expression {
    const [name = '', ...rest] = path.split('.');
    if (name === '') fail('FailedToParse', 'empty variable names are not allowed');
    const parts = rest.length > 0 ? fieldPathParts(path.slice(name.length + 1)) : [];
    if (name === 'SEARCH_META' || name === 'USER_ROLES') {
      fail('NotImplemented', `The variable $$${name} is not supported by this store`);
    }
    if (!this.#names.has(name) && !SYSTEM_VARIABLES.includes(name)) fail(17276, `Use of undefined variable: ${name}`);
    return this.#below(name, parts);
  }

  #below(name: string, parts: readonly string[]): Expression {
    if (Object.hasOwn(CONSTANT_VARIABLES, name))
      return constant(parts.length > 0 ? undefined : CONSTANT_VARIABLES[name]);
    const read = pathReader(parts);
    if (name === 'ROOT' || (name === 'CURRENT' && !this.#names.has(name))) {
      return { run: (doc) => read(doc), constant: false };
    }
    if (name === 'NOW' || name === 'CLUSTER_TIME')
      return { run: (_doc, vars) => read(builtin(name, vars)), constant: false };
    return { run: (_doc, vars) => read(vars[name]), constant: false };
  }

  #array(items: unknown[]): Expression {
    const compiled = items.map((item) => this.compile(item));
    const run: Evaluate = (doc, vars) => compiled.map((item) => item.run(doc, vars) ?? null);
    return fold({ run, constant: compiled.every((item) => item.constant) });
  }

  #document(spec: Doc): Expression {
    const names = Object.keys(spec);
    const first = names[0];
    if (first?.startsWith('$')) return this.#operator(first, spec, names.length);
    for (const name of names) checkComputedName(name);
    const compiled = names.map((name) => this.compile(spec[name]));
    const run: Evaluate = (doc, vars) => {
      const result: Doc = {};
      for (let i = 0; i < names.length; i++) {
        const value = compiled[i]?.run(doc, vars);
        if (value !== undefined) setOwn(result, names[i] as string, value);
      }
      return result;
    };
    return fold({ run, constant: compiled.every((item) => item.constant) });
  }

  #operator(name: string, spec: Doc, count: number): Expression {
    if (count !== 1) {
      fail(15983, `An object representing an expression must have exactly one field: ${JSON.stringify(spec)}`);
    }
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator) return operator(spec[name], this);
    if (REFUSED_OPERATORS.has(name)) fail('NotImplemented', `The expression ${name} is not supported by this store`);
    return fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  }
}

function checkComputedName(name: string): void {
  checkFieldName(name);
  if (name.includes('.')) {
    fail(16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
  }
}

function builtin(name: string, vars: Vars): unknown {
  return vars[name] ?? fail(51144, `Builtin variable '$$${name}' is not available`);
}

/** A compiler for a scope where these variables are defined. */
export function compilerFor(names: Iterable<string>): Compiler {
  return new ScopedCompiler(new Set(names));
}

/** Compiles in a scope where these variables are defined; says whether the result is a constant. Throws MongoDB's parse errors. */
export function compileNode(expression: unknown, names: Iterable<string> = []): Expression {
  return compilerFor(names).compile(expression);
}

/**
 * Compiles an aggregation expression. `vars` says which variables are defined besides the system's; their values come at evaluation.
 * The result takes a document (`$$ROOT`) and the variables' values by name (`NOW`, `CLUSTER_TIME`, those of `let`): see `baseVars`.
 * Undefined is "missing". Throws MongoDB's errors: at once for what cannot be parsed (168 for an unknown operator), otherwise when evaluated.
 */
export function compileExpression(expression: unknown, vars: Vars = {}): Evaluate {
  return compileNode(expression, Object.keys(vars)).run;
}
