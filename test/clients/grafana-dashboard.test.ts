// deploy/grafana-dashboard.json has the members that Grafana's own schema knows, and no others.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const SCHEMA = resolve('test/clients/node_modules/@grafana/schema/dist/types/index.js');
const dashboard = readFileSync('deploy/grafana-dashboard.json', 'utf8');

/** What the compiler says of a dashboard as a value of Grafana's type. */
function faultsOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'dashboard.ts');
  writeFileSync(file, `import type { Dashboard } from '${SCHEMA}';\nexport const dashboard: Dashboard = ${text};\n`);
  const options = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--ignoreConfig',
  ];
  return spawnSync(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...options, file], {
    encoding: 'utf8',
  }).stdout;
}

it("the dashboard fits Grafana's schema, which refuses a member that it does not know", () => {
  expect(faultsOf(dashboard)).toBe('');
  expect(faultsOf(dashboard.replace('"unit"', '"unti"'))).toContain("'\"unti\"' does not exist in type 'FieldConfig");
});
