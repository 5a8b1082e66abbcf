// deploy/alerts.yml and the queries of deploy/grafana-dashboard.json in a real Prometheus that reads a gateway: each has figures, and an alert
// says what is wrong. Skipped without Prometheus.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PART_NAMES } from '../../src/base/monitoring/problem-kinds.js';
import { ANVIL } from '../support/anvil.js';
import { eventually } from '../support/eventually.js';
import { GatewayProcess, OPERATOR_KEY } from '../support/gateway-process.js';
import { registerIssuer, registerPartner } from '../support/partner.js';
import { PROMETHEUS, type RunningPrometheus, startPrometheus } from '../support/prometheus.js';

if (PROMETHEUS === undefined)
  console.warn('Prometheus is not installed: the tests of alerts and the dashboard in it are skipped');

interface Rule {
  alert: string;
  expr: string;
}
const { groups } = parse(readFileSync('deploy/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};

/** Queries of the dashboard, with what Grafana puts into them. */
const queries = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')] as const),
);
/** What each rule compares: the part before its first comparison. */
const compared = rules.map(({ alert, expr }) => [alert, expr.split(/\s(?:==|>|<)\s/)[0] ?? ''] as const);
/** What only a gateway with a chain has. */
const hasSeries = (expr: string): boolean => ANVIL !== undefined || !expr.includes('gateway_chain_');

describe.skipIf(PROMETHEUS === undefined)('Prometheus', () => {
  const gateway = new GatewayProcess({ SMTP_URL: 'smtp://127.0.0.1:9', ANCHOR_INTERVAL_S: '1' });
  let prometheus: RunningPrometheus;
  beforeAll(async () => {
    await gateway.start();
    prometheus = await startPrometheus(gateway.url, OPERATOR_KEY);
    const issuerDid = await registerIssuer(gateway.asGateway, 'club');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const hook = await partner.rest('POST', '/v1/webhooks', {
      url: 'http://127.0.0.1:9/',
      types: ['stored', 'anchored'],
    });
    expect(hook.status).toBe(201);
    const token = { 'x-partner-auth': await partner.token({ email: 'a@example.org' }) };
    const { loginId } = (await partner.rest('POST', '/v1/auth/login', {}, token)).body;
    await gateway.rest('POST', '/v1/auth/verify', { body: { loginId, code: '000000' } });
    const body = { issuerDid, credentialId: 'club-credential', credentialSubject: { note: 'x' } };
    const issued = await partner.rest('POST', '/v1/credentials/issue-on-behalf', { ...body, email: 'b@example.org' });
    expect(issued.status).toBe(200);
    const earlier = await gateway.rest('GET', '/v1/credentials/token-status-lists/club.w1?time=1700000000');
    expect(earlier.status).toBe(501);
    for (let at = 0; at < 3; at += 1) {
      await gateway.rest('GET', '/v1/catalog/issuers');
      await gateway.rest('POST', '/graphql', {
        body: { query: 'query Names { issuers(first: 1) { nodes { name } } }' },
      });
    }
  });
  afterAll(async () => {
    await prometheus?.end();
    gateway.remove();
  });

  const figures = (query: string) =>
    eventually(async () => {
      const { result } = await prometheus.ask('query', { query });
      expect(result).not.toEqual([]);
    });

  it('the rules are those that promtool accepts', () => {
    const promtool = join(dirname(PROMETHEUS ?? ''), 'promtool');
    const { status, stdout } = spawnSync(promtool, ['check', 'rules', 'deploy/alerts.yml'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining(`SUCCESS: ${rules.length} rules found`)]);
  });

  it.each(queries.filter(([, expr]) => hasSeries(expr)))('the panel "%s" has figures: %s', (_title, expr) =>
    figures(expr),
  );

  it.each(compared.filter(([, expr]) => hasSeries(expr)))('the alert %s compares figures: %s', (_alert, expr) =>
    figures(expr),
  );

  it('every rule is evaluated, and none fails', async () => {
    const found = await eventually(async () => {
      const { groups: loaded } = await prometheus.ask('rules');
      const all = loaded.flatMap((group: { rules: object[] }) => group.rules);
      for (const { health } of all) expect(health).not.toBe('unknown');
      return all as { name: string; health: string; lastError?: string }[];
    });
    expect(found.map(({ name, health, lastError }) => [name, health, lastError ?? ''])).toEqual(
      rules.map(({ alert }) => [alert, 'ok', '']),
    );
  });

  it('a mail server that is away fires the alert of its part, with the link to its section', async () => {
    const alert = await eventually(async () => {
      const { alerts } = await prometheus.ask('alerts');
      const own = alerts.find(({ labels }: { labels: { part?: string } }) => labels.part === 'mail');
      expect(own).toMatchObject({ state: 'firing', labels: { alertname: 'GatewayPartBad' } });
      return own as { annotations: Record<string, string> };
    });
    expect(alert.annotations).toMatchObject({
      runbook_url: 'docs/runbook.md#mail',
      summary: 'The part mail of the gateway does not work.',
    });
  });

  it('every part has its series', async () => {
    const { result } = await prometheus.ask('query', { query: 'max by (part) (gateway_problem)' });
    const parts = result.map(({ metric }: { metric: { part: string } }) => metric.part);
    expect(parts.toSorted()).toEqual([...PART_NAMES].toSorted());
  });
});
