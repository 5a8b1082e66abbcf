// The files in deploy/ for operators: alerts and the dashboard name existing metrics, and manifests and the systemd unit fit the program.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Metrics } from '../../src/base/monitoring/metrics.js';
import { measureChain } from '../../src/chain/chain-metrics.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; action: string; runbook_url: string };
}

const text = (name: string) => readFileSync(join('deploy', name), 'utf8');
const { groups } = parse(text('alerts.yml')) as { groups: { rules: Alert[] }[] };
const rules = groups.flatMap((group) => group.rules);
const variables = readFileSync('docs/configuration.md', 'utf8');
const dashboard = JSON.parse(text('grafana-dashboard.json')) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
};

let gateway: TestGateway;
/** The labels of each metric, by the metric's name. */
let known: Map<string, Set<string>>;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.rest('GET', '/v1/catalog/issuers');
  await gateway.gql('{ __typename }');
  const nodes = new Metrics();
  nodes.addProcess();
  // The metrics of a gateway with a chain; their values need a node.
  const jobs = { aggregate: async () => [], countDocuments: async () => 0, findOne: () => NOTHING };
  measureChain(nodes, { jobs } as never, { linked: Promise.resolve(undefined) } as never);
  const { body } = await gateway.admin('GET', '/metrics');
  known = labelsOf(`${body}\n${await nodes.text()}`);
});
afterAll(() => gateway.close());

const NOTHING = { sort: () => ({ lean: async () => null }) };
/** Labels that have no values until something has happened. */
const LATER: Readonly<Record<string, string[]>> = {
  gateway_webhook_attempts_total: ['result'],
  gateway_login_codes_total: ['result'],
  gateway_chain_relayer: ['what'],
};
/** Labels that Prometheus adds. */
const ADDED = ['instance', 'job'];

function labelsOf(metrics: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const [, name = ''] of metrics.matchAll(/^# TYPE (\S+)/gm)) labels.set(name, new Set(LATER[name]));
  for (const [, sample = '', list = ''] of metrics.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
    const own = labels.get(sample) ?? new Set<string>();
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) own.add(label);
    labels.set(sample, own);
  }
  return labels;
}

/** The metrics and labels in an expression that no gateway has. */
function unknownIn(expr: string): string[] {
  return [...expr.matchAll(/\b(gateway_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = '', matchers = '']) => {
    const labels = known.get(name);
    if (labels === undefined) return [name];
    const named = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    return named.filter((label) => !labels.has(label) && !ADDED.includes(label)).map((label) => `${name}{${label}}`);
  });
}

it('the check of names finds names that do not exist', () => {
  expect(unknownIn('rate(gateway_request_seconds_count{status="500"}[5m])')).toEqual([]);
  expect(unknownIn('gateway_request_seconds + gateway_nonsense_total + gateway_clients{shape="x"}')).toEqual([
    'gateway_nonsense_total',
    'gateway_clients{shape}',
  ]);
});

describe('Alerts', () => {
  it('alerts name metrics and labels that exist', () => {
    expect(rules.length).toBeGreaterThan(10);
    for (const { alert, expr } of rules) expect([alert, unknownIn(expr)]).toEqual([alert, []]);
  });

  it('alerts have a severity and instructions, each under its own name', () => {
    for (const { labels, annotations } of rules) {
      expect(['info', 'warning', 'critical']).toContain(labels.severity);
      const text = expect.any(String);
      expect(annotations).toEqual({ summary: text, action: text, runbook_url: text });
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it('alerts are listed with their thresholds in docs/running.md', () => {
    const page = readFileSync('docs/running.md', 'utf8');
    for (const { alert } of rules) expect(page).toContain(`\`${alert}\``);
  });
});

it('the dashboard names metrics and labels that exist', () => {
  expect(dashboard.panels.length).toBeGreaterThan(10);
  for (const { title, targets } of dashboard.panels)
    for (const { expr } of targets) expect([title, unknownIn(expr)]).toEqual([title, []]);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});

describe('Kubernetes', () => {
  const TYPES: Readonly<Record<string, string>> = {
    ConfigMap: 'core/v1',
    Job: 'batch/v1',
    Deployment: 'apps/v1',
    Service: 'core/v1',
    PodDisruptionBudget: 'policy/v1',
    Ingress: 'networking/v1',
  };
  const documents = parseAllDocuments(text('kubernetes/gateway.yaml')).map(
    // biome-ignore lint/suspicious/noExplicitAny: checked by the schema.
    (document) => document.toJS() as any,
  );
  const named = (kind: string) => documents.find((document) => document.kind === kind);

  /**
   * What the compiler reports for a manifest that is declared with the type of its kind: unknown members, missing ones,
   * wrong values.
   */
  function faultsOf(manifests: readonly { kind: string }[]): string {
    const folder = mkdtempSync(resolve('node_modules/.manifests-'));
    try {
      const lines = manifests.map((manifest, at) => {
        const type = `import('kubernetes-types/${TYPES[manifest.kind]}.d.ts').${manifest.kind}`;
        return `export const manifest${at}: ${type} = ${JSON.stringify(manifest)};`;
      });
      writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--allowImportingTsExtensions'];
      const args = ['tsc', ...options, '--module', 'preserve', '--types', '', join(folder, 'manifests.ts')];
      return spawnSync('npx', args, { encoding: 'utf8' }).stdout;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  it('Kubernetes manifests follow the schema', () => {
    expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(TYPES).sort());
    expect(faultsOf(documents)).toBe('');
    const wrong = structuredClone(named('Deployment'));
    wrong.spec.template.spec.containers[0].readinessProb = {};
    expect(faultsOf([wrong])).toContain('readinessProb');
  });

  it('Kubernetes stops gateways after the time that they need, and runs them as the image does', () => {
    const { spec } = named('Deployment').spec.template;
    const { data } = named('ConfigMap');
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(data.STOP_DELAY_SECONDS) + 8);
    for (const name of Object.keys(data)) expect(variables).toContain(`\`${name}\``);
    const [{ ports, livenessProbe, readinessProbe }] = spec.containers;
    expect([ports[0].containerPort, livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual([
      ...[4000, '/health/live', '/health/ready'],
    ]);
    const command: string[] = named('Job').spec.template.spec.containers[0].command;
    expect([command[1], command[2]]).toEqual(['dist/cli/main.js', 'migrate']);
  });
});

it('the systemd unit starts the program, names variables that exist, and allows it time to stop', () => {
  const unit = text('credential-gateway.service');
  expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node dist\/process\/main\.js$/m);
  const named = [...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)];
  const values = new Map(named.map(([, name = '', value = '']) => [name, value]));
  for (const name of values.keys()) if (name !== 'MALLOC_ARENA_MAX') expect(variables).toContain(`\`${name}\``);
  const [, timeout] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  expect(Number(timeout)).toBeGreaterThan(Number(values.get('STOP_DELAY_SECONDS')) + 8);
});

const python = spawnSync('python3', ['--version']).status === 0;
it.skipIf(!python)('the Python of docs/running.md prints the catalog', async () => {
  for (const id of ['one', 'two', 'three']) await registerIssuer(gateway, id);
  const [, code = ''] = /```python\n([^`]*)```/.exec(readFileSync('docs/running.md', 'utf8')) ?? [];
  const child = spawn('python3', ['-c', code], { env: { PATH: process.env.PATH, GATEWAY: gateway.url } });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [status] = await once(child, 'close');
  expect([status, err]).toEqual([0, '']);
  expect(out.trim().split('\n')).toEqual(Array(3).fill(expect.stringMatching(/^[\w-]+ \S/)));
});
