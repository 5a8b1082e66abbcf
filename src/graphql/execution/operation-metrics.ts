// Counts operations by name, for the metrics.
import { type DocumentNode, getOperationAST } from 'graphql';
import type { Metrics } from '../../base/monitoring/metrics.js';
import type { Execute } from './executor.js';

/** Clients choose the names, so at most this many are counted separately. */
const MAX_NAMES = 200;
const OTHERS = '(others)';
const UNNAMED = '(unnamed)';

/** An executor that counts the operations that it runs. Responses from the cache are not among them. */
export function countOperations(execute: Execute, metrics: Metrics): Execute {
  const counter = metrics.counter('operations_total', 'GraphQL operations that ran, and renderings of events', [
    'type',
    'name',
  ]);
  const names = new Set<string>();
  const labelOf = (name: string): string => {
    if (names.size < MAX_NAMES) names.add(name);
    return names.has(name) ? name : OTHERS;
  };
  return (document, request) => {
    const { type, name } = operationOf(document, request.operationName);
    counter.inc({ type, name: labelOf(name) });
    return execute(document, request);
  };
}

/** The type and name of the operation that runs. */
export function operationOf(document: DocumentNode, operationName?: string | null): { type: string; name: string } {
  const operation = getOperationAST(document, operationName);
  return { type: operation?.operation ?? 'none', name: operation?.name?.value ?? UNNAMED };
}
