// Metrics of the fast paths of queries and subscriptions: docs/fast-paths.md says what each path depends on.
import type { Metrics } from '../base/monitoring/metrics.js';
import type { ExecutionCounts } from '../graphql/execution/executor.js';
import type { RowTextCache } from '../graphql/execution/row-text-cache.js';
import type { RequestCounts } from '../graphql/answer.js';
import type { FanOut } from '../graphql/subscriptions/fan-out.js';
import type { Clients } from '../http/callers/clients.js';

interface QueryCounts {
  requests: RequestCounts;
  executions: ExecutionCounts;
  rowTexts: RowTextCache | undefined;
}

export function measureQueries(metrics: Metrics, { requests, executions, rowTexts }: QueryCounts): void {
  metrics.gauges('graphql_requests.path', 'GraphQL requests: directly, or through Apollo', 'process', () => ({
    ...requests,
  }));
  metrics.gauges('executions.count', 'Compiled runs, runs of graphql-js, compilations', 'process', () => ({
    ...executions,
  }));
  if (rowTexts)
    metrics.gauges('cached_row_texts.result', 'Objects asked of the row text cache', 'process', () => rowTexts.counts);
}

export function measureClients(metrics: Metrics, clients: Clients, subscriptions: FanOut): void {
  metrics.gauge('clients', 'Connected clients of subscriptions and event streams', 'process', () => clients.size);
  metrics.gauges(
    'subscriptions.count',
    'Groups of equal subscriptions; executions, deliveries, drops, clients ended as too slow, replays',
    'process',
    () => ({ ...subscriptions.counters }),
  );
}
