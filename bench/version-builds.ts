// Builds of commits for `npm run bench -- versions`: each commit in a work tree of its own, installed and built as its README says.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { GatewayOptions } from './gateway-process.js';

/** What a gateway caches: everything, all but whole responses, or rows alone. */
export type Caches = 'responses' | 'row texts' | 'rows';

export interface Build {
  /** As it is printed: the commit, or `work tree`. */
  name: string;
  folder: string;
  /** The gateway's program, as a path in the folder. */
  program: string;
  /** Whether it signs credentials for proofs, unless they are not provable. */
  hasProofs: boolean;
}

const PROGRAMS = ['dist/process/main.js', 'dist/main.js'];
/** Work trees are reused by later runs. Each checkout has its own, as git knows them by their paths. */
const CHECKOUT = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 8);
const FOLDER = join(tmpdir(), `gateway-versions-${CHECKOUT}`);

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The build of a commit; of the work tree, which is built, without one. @throws Error for an unknown commit, or one that does not build. */
export function buildOf(commit: string | undefined): Build {
  if (commit === undefined) return { name: 'work tree', ...factsOf('.') };
  const sha = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`);
  const folder = join(FOLDER, sha);
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    console.error(`${commit}: a work tree, npm ci and npm run build in ${folder}`);
    git('worktree', 'prune');
    git('worktree', 'add', '--force', '--detach', folder, sha);
    npm(folder, 'ci');
  }
  npm(folder, 'run', 'build');
  return { name: sha.slice(0, 8), ...factsOf(folder) };
}

function factsOf(folder: string): Omit<Build, 'name'> {
  const hasProofs = readFileSync(join(folder, 'schema.graphql'), 'utf8').includes('provable');
  return { folder, program: programIn(folder), hasProofs };
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

function programIn(folder: string): string {
  const program = PROGRAMS.find((path) => existsSync(join(folder, path)));
  if (program === undefined) throw new Error(`${resolve(folder)} has none of ${PROGRAMS.join(', ')}`);
  return program;
}

/** How to start a gateway of this build: commits before the settings were renamed have their former names. */
export function optionsOf({ folder, program }: Build, caches: Caches): GatewayOptions {
  const docs = ['README.md', ...readdirSync(join(folder, 'docs')).map((name) => join('docs', name))]
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join();
  const [responses, rowTexts] = docs.includes('RESPONSE_CACHE_MB')
    ? ['RESPONSE_CACHE_MB', 'ROW_TEXT_CACHE_MB']
    : ['ANSWER_CACHE_MB', 'FRAGMENT_CACHE_MB'];
  const settings = {
    ...(caches === 'responses' ? {} : { [responses]: '0' }),
    ...(caches === 'rows' ? { [rowTexts]: '0' } : {}),
    SOCKETS: '20000',
    SOCKET_OPERATIONS: '500',
    ANONYMOUS_SUBSCRIPTIONS: '20000',
  };
  return { settings, folder, program };
}
