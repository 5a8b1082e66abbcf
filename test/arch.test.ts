// The house rules of the sources. A failure prints the import (or line) that breaks the rule, and the rule.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { longFunctions } from './support/functions.js';
import { firstCycle, type Import, importsOf, sourceFiles } from './support/imports.js';

const SOURCES = sourceFiles('src');
const IMPORTS = SOURCES.flatMap(importsOf);
const OURS = IMPORTS.filter(({ to }) => to.startsWith('src/'));

/** The house from the ground up (docs/architecture.md). A room imports from the floors below, and on its own floor from the rooms left of it. */
const FLOORS = [
  ['common', 'base', 'conditions', 'engine', 'zk'],
  ['keys', 'store', 'http', 'evm'],
  ['graphql'],
  [
    'operators',
    'partners',
    'catalog',
    'certificates',
    'chain',
    'holders',
    'accounts',
    'storage',
    'issuance',
    'openid4vci',
    'openid4vp',
    'verification',
    'why',
    'events',
    'webhooks',
    'audit',
    'erasure',
  ],
  ['compose'],
  ['process', 'cli', 'sdk', 'wallet', 'console'],
] as const;
const DOMAINS: readonly string[] = FLOORS[3];
const ROOMS: readonly string[] = FLOORS.flat();
/**
 * The rooms of large folders, from the ground up: a room imports from those before it. `''` are the files of the folder itself, except those
 * that are listed by name.
 */
const INNER_ROOMS: Record<string, readonly string[]> = {
  'src/base': ['', 'concurrency', 'mongodb', 'json', 'config', 'monitoring', 'callers'],
  'src/catalog': [
    'rows',
    'json-schema',
    'traction',
    'records',
    'cache',
    'lists',
    'reading',
    'search',
    'graphql',
    'rest',
    'admin',
    'mirror',
    'sample',
    '',
  ],
  'src/engine': [
    'errors.ts',
    'bson',
    'regex',
    'expressions',
    'query',
    'aggregate',
    'update',
    'store',
    'planner',
    'sessions',
    'engine.ts',
    'change-streams',
    'commands',
    'wire',
    'maintenance',
    '',
  ],
  'src/http': [
    'outbound',
    'cache',
    'callers',
    'requests',
    'responses',
    'routes',
    'protocols',
    'openapi',
    'pages',
    'server',
  ],
  'src/verification': [
    'forms',
    'records',
    'proofs',
    'start',
    'request',
    'outcome',
    'answer',
    'wallets',
    'planning',
    '',
  ],
};
/** Types that are put together above, and read everywhere: what a request carries, and what domains are built from. */
const TYPES_OF_ABOVE: readonly string[] = ['src/compose/context.ts', 'src/compose/domain.ts'];
/** Another domain is entered by its services; one domain's records refer to another's. */
const DOORS = /\.service\.ts$|\/([a-z-]+-)?types\.ts$/;
const MAX_LINES = 300;
const MAX_FUNCTION_LINES = 60;

const roomOf = (file: string): string => file.split('/')[1] ?? '';
/** The place of a file among the rooms of its folder; -1: in none. */
function innerPlace(folder: string, file: string): number {
  const rooms = INNER_ROOMS[folder] ?? [];
  const [first = '', ...rest] = file.slice(folder.length + 1).split('/');
  return rest.length > 0 || rooms.includes(first) ? rooms.indexOf(first) : rooms.indexOf('');
}
const isDomain = (file: string): boolean => DOMAINS.includes(roomOf(file));

/** Each broken import as a line for the person who reads the failure. */
const broken = (rule: string, imports: readonly Import[]): string[] =>
  imports.map(({ from, to }) => `${from} imports ${to}: ${rule}`);

describe('The sources', () => {
  it('have no circle of imports, of types neither', () => {
    const counted = OURS.filter(({ to, typeOnly }) => !(typeOnly && TYPES_OF_ABOVE.includes(to)));
    expect(firstCycle(counted)?.join(' -> ') ?? 'no circle').toBe('no circle');
  });

  it('all stand in a room of the house', () => {
    expect(SOURCES.filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([]);
  });

  it('import from the floors below, and on their own floor leftwards', () => {
    const upward = OURS.filter(({ from, to, typeOnly }) => {
      if (typeOnly && TYPES_OF_ABOVE.includes(to)) return false;
      return ROOMS.indexOf(roomOf(to)) > ROOMS.indexOf(roomOf(from));
    });
    expect(broken(`the rooms from the ground up are ${ROOMS.join(', ')}`, upward)).toEqual([]);
  });

  it.each(Object.entries(INNER_ROOMS))('of %s import from the rooms before theirs', (folder, rooms) => {
    const at = (file: string): number => innerPlace(folder, file);
    const inside = SOURCES.filter((file) => file.startsWith(`${folder}/`));
    expect(inside.filter((file) => at(file) < 0)).toEqual([]);
    const back = OURS.filter(
      ({ from, to }) => from.startsWith(`${folder}/`) && to.startsWith(`${folder}/`) && at(to) > at(from),
    );
    expect(broken(`the rooms of ${folder} in their order are ${rooms.join(', ')}`, back)).toEqual([]);
  });

  it('keep the engine an island', () => {
    const leaving = OURS.filter(({ from, to }) => from.startsWith('src/engine/') && !to.startsWith('src/engine/'));
    expect(broken('the engine imports nothing of ours', leaving)).toEqual([]);
    const reaching = OURS.filter(
      ({ from, to }) => !from.startsWith('src/engine/') && /^src\/engine\/(?!(index|thread)\.ts)/.test(to),
    );
    expect(
      broken('the engine is entered by src/engine/index.ts, and started by src/engine/thread.ts, alone', reaching),
    ).toEqual([]);
  });

  it('keep what programs share on the ground', () => {
    const leaving = IMPORTS.filter(
      ({ from, to }) => from.startsWith('src/common/') && /^(src\/|node:)/.test(to) && !to.startsWith('src/common/'),
    );
    expect(broken('src/common imports nothing else of ours, and nothing of Node', leaving)).toEqual([]);
  });

  it('keep proofs an island that browsers can load', () => {
    const browser = /^src\/(zk|conditions|common)\//;
    const leaving = IMPORTS.filter(
      ({ from, to }) => browser.test(from) && /^(src\/|node:)/.test(to) && !browser.test(to),
    );
    expect(
      broken(
        'src/zk imports src/conditions and src/common alone, and none of them imports what browsers have not',
        leaving,
      ),
    ).toEqual([]);
    const reaching = OURS.filter(({ from, to }) => {
      const door = from.startsWith('src/wallet/') ? /^src\/zk\/(?!holder\.ts)/ : /^src\/zk\/(?!index\.ts)/;
      return !from.startsWith('src/zk/') && door.test(to);
    });
    expect(broken('proofs are entered by src/zk/index.ts alone, and by holder.ts from the wallet', reaching)).toEqual(
      [],
    );
    const library = IMPORTS.filter(({ from, to }) => from.startsWith('src/') && to.startsWith('@docknetwork/'));
    expect(library.map(({ from }) => from).filter((from) => from !== 'src/zk/library.ts')).toEqual([]);
  });

  it('enter another domain by its services', () => {
    const past = OURS.filter(
      ({ from, to, typeOnly }) =>
        !typeOnly && isDomain(from) && isDomain(to) && roomOf(from) !== roomOf(to) && !DOORS.test(to),
    );
    expect(broken('another domain is entered by its *.service.ts', past)).toEqual([]);
  });

  it('name *.service.ts only what another domain enters', () => {
    const entered = new Set(
      OURS.filter(({ from, to }) => isDomain(from) && isDomain(to) && roomOf(from) !== roomOf(to)).map(({ to }) => to),
    );
    expect(SOURCES.filter((file) => file.endsWith('.service.ts') && !entered.has(file))).toEqual([]);
  });

  it('keep the client programs islands', () => {
    const MAY_LOAD: Readonly<Record<string, RegExp>> = {
      sdk: /^src\/sdk\//,
      wallet: /^src\/(wallet|sdk\/(core|mobile)|conditions|common)\/|^src\/zk\/holder\.ts$/,
      console: /^src\/(console|conditions|common)\//,
    };
    const leaving = OURS.filter(({ from, to, typeOnly }) => !typeOnly && MAY_LOAD[roomOf(from)]?.test(to) === false);
    expect(broken('of ours, client programs load common, conditions and zk/holder.ts alone', leaving)).toEqual([]);
    const inCore = IMPORTS.filter(
      ({ from, to }) => from.startsWith('src/sdk/core/') && !to.startsWith('src/sdk/core/'),
    );
    expect(broken('the core of the client library imports nothing', inCore)).toEqual([]);
    const reaching = OURS.filter(
      ({ from, to }) => !/^src\/(console|sdk|wallet)\//.test(from) && /^src\/(console|sdk|wallet)\//.test(to),
    );
    expect(broken('nothing imports a client program', reaching)).toEqual([]);
  });

  it('read the environment in config.ts only', () => {
    const readers = SOURCES.filter((file) => readFileSync(file, 'utf8').includes('process.env'));
    expect(readers).toEqual(['src/base/config/config.ts']);
  });

  it("read a client's address in request-facts.ts only, so that every limit has the same", () => {
    const reading = /request\.ips?\b|\bips?\b[^;{}]*\} = request|['"](x-)?forwarded(-for)?['"]/;
    const readers = SOURCES.filter((file) => reading.test(readFileSync(file, 'utf8')));
    expect(readers).toEqual([]);
    expect(readFileSync('src/http/requests/request-facts.ts', 'utf8')).toContain('clientAddress(ip)');
  });

  it('parse URLs by parsedUrl, since URL.canParse of Node 20 is wrong for some hosts', () => {
    const callers = SOURCES.filter((file) => readFileSync(file, 'utf8').includes('.canParse('));
    expect(callers).toEqual([]);
  });

  it('have named exports only', () => {
    const unnamed = SOURCES.filter((file) => /^export default\b/m.test(readFileSync(file, 'utf8')));
    expect(unnamed).toEqual([]);
  });
});

describe('Every function of the sources', () => {
  it(`is at most ${MAX_FUNCTION_LINES} lines long`, () => {
    expect(SOURCES.flatMap((file) => longFunctions(file, MAX_FUNCTION_LINES))).toEqual([]);
  });
});

describe('Every hand-written file', () => {
  const files = [...SOURCES, ...sourceFiles('test'), ...sourceFiles('bench')].filter(
    (file) => !file.includes('/generated/'),
  );

  it(`is at most ${MAX_LINES} lines long`, () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('opens with a comment on its job', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?(\/\/|\/\*)/.test(readFileSync(file, 'utf8')));
    expect(silent).toEqual([]);
  });
});
