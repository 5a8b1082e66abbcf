// The running version: that of the package, and the commit from which dist was built.
import { readFileSync } from 'node:fs';

export interface Build {
  version: string;
  /** The first 12 digits, with `-dirty` if files were changed; `unknown` without a repository. */
  commit: string;
}

let build: Build | undefined;

/** The running build. `tools/build.mjs` writes the commit. */
export function buildOf(): Build {
  build ??= { version: versionOf(), commit: commitOf() };
  return build;
}

/** The build as one word, in the form of semantic versions: `0.1.0+1a2b3c4d5e6f`. */
export function buildText({ version, commit }: Build = buildOf()): string {
  return commit === UNKNOWN ? version : `${version}+${commit}`;
}

const UNKNOWN = 'unknown';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const versionOf = (): string => (JSON.parse(read('../../package.json')) as { version: string }).version;

function commitOf(): string {
  try {
    return read('../../dist/commit').trim() || UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}
