// Finds the long functions of a source file, for tests that hold the architecture's rules.
import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

/** A function with a body: where it begins, and how many lines it has. */
export interface FoundFunction {
  at: string;
  lines: number;
}

const FUNCTIONS: ReadonlySet<unknown> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** The functions, methods and arrow functions of a TypeScript file that have more lines than `most`. */
export function longFunctions(file: string, most: number): FoundFunction[] {
  const text = readFileSync(file, 'utf8');
  const linesIn = (start: number, end: number): number => text.slice(start, end).split('\n').length;
  const found: FoundFunction[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node as { type?: unknown; start?: number; end?: number };
    if (FUNCTIONS.has(type) && start !== undefined && end !== undefined) {
      const lines = linesIn(start, end);
      if (lines > most) found.push({ at: `${file}:${linesIn(0, start)}`, lines });
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang: file.endsWith('.tsx') ? 'tsx' : 'ts' }, file));
  return found;
}
