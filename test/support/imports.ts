// Reads the import graph of the sources, for tests that hold the architecture's rules.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One import of one file. Paths are relative to the project; for packages, `to` is the package's name. */
export interface Import {
  from: string;
  to: string;
  /** Whether only types are imported: the compiler removes such an import. */
  typeOnly: boolean;
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[\w*{}\s,$]+?\sfrom\s+)?'([^']+)'/g;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

/** Every TypeScript file below a folder. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .sort();
}

/** Every import of a file, static or dynamic. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(IMPORT)].map(([, type, path]) => ({ path, typeOnly: type !== undefined }));
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, path]) => ({ path, typeOnly: false }));
  return [...found, ...dynamic].map(({ path = '', typeOnly }) => ({ from: file, to: target(file, path), typeOnly }));
}

function target(file: string, path: string): string {
  if (!path.startsWith('.')) return path;
  const module = normalize(join(dirname(file), path.replace(/\.js$/, '')));
  return existsSync(`${module}.tsx`) ? `${module}.tsx` : `${module}.ts`;
}

/** The files on the first cycle of imports; undefined when there is none. */
export function firstCycle(imports: readonly Import[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    const seen = path.indexOf(file);
    if (seen >= 0) return [...path.slice(seen), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to, [...path, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
