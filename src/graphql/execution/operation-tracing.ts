// The span of a GraphQL operation, below that of its request.
import type { Tracing } from '../../base/monitoring/tracing.js';
import type { Execute } from './executor.js';
import { operationOf } from './operation-metrics.js';

/** An executor with a span for each operation of a request: its type and name, never its text or variables. */
export function traceOperations(execute: Execute, tracing: Tracing): Execute {
  return (document, request) => {
    const { type, name } = operationOf(document, request.operationName);
    const attributes = { 'graphql.operation.type': type, 'graphql.operation.name': name };
    const span = tracing.begin(`${type} ${name}`, false, attributes);
    if (span === undefined) return execute(document, request);
    const result = tracing.within(span, () => execute(document, request));
    if (!(result instanceof Promise)) tracing.end(span);
    else void result.then(() => tracing.end(span));
    return result;
  };
}
