// Which test files use the run's store and also work with a MongoDB server instead of the engine.
import { importsOf, sourceFiles } from './imports.js';

const STORE = 'test/support/gateway.ts';
/**
 * Test files that need one server, reached by its address and without TLS: they put a proxy in front of it, or take its
 * address apart.
 */
const ONE_ADDRESS = ['test/support/cut-proxy.ts', 'test/store/connection.test.ts'];

/** Files that import the run's store but need something else, each with what it needs. */
export const ENGINE_ONLY: Record<string, string> = {
  'test/issuance/cak-canary.test.ts': 'searches the data folder of the embedded engine',
  'test/issuance/canary.test.ts': 'searches the data folder of the embedded engine',
  'test/store/clocks.test.ts': 'moves the clock of a process that embeds the engine',
  'test/base/monitoring/problems.test.ts': 'lets an engine of its own fail',
};

const isOneAddress = (uri: string): boolean =>
  /^mongodb:\/\/[^,/]+(\/|$)/.test(uri) && !/[?&](tls|ssl)=true/i.test(uri);

/** Test files that open a database in the run's store, without the slow ones and those that need the engine. */
export function storeTests(uri: string): string[] {
  const files = sourceFiles('test');
  const imports = new Map(files.map((file) => [file, importsOf(file).map(({ to }) => to)]));
  const reach = (targets: readonly string[]): ReadonlySet<string> => {
    const reached = new Set(targets);
    // Iterating a set includes what is added meanwhile.
    for (const each of reached) for (const file of files) if (imports.get(file)?.includes(each)) reached.add(file);
    return reached;
  };
  const needOneAddress = reach(ONE_ADDRESS);
  return [...reach([STORE])].filter(
    (file) =>
      file.endsWith('.test.ts') &&
      !file.endsWith('.slow.test.ts') &&
      !(file in ENGINE_ONLY) &&
      (isOneAddress(uri) || !needOneAddress.has(file)),
  );
}
