// The metrics route, for Prometheus.
import { METRICS_TYPE } from '../../base/monitoring/metrics.js';
import { type AnyRoute, route } from './route.js';
import { TEXT } from './shapes.js';

/** `GET /metrics`. @param text returns all metrics, of every process that shares this port. */
export function metricsRoutes(text: () => Promise<string>): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/metrics',
      summary: 'Counters and gauges in the text format of Prometheus',
      auth: 'operator',
      produces: 'text/plain',
      answers: { 200: TEXT },
      handle: async () => ({
        body: await text(),
        contentType: METRICS_TYPE,
        headers: { 'cache-control': 'no-store' },
      }),
    }),
  ];
}
