// The data of a view, from one query, which can be read again.

import type { AnyVariables } from '@urql/core';
import { useQuery } from '@urql/preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { byHash, type GeneratedDocument, hashOf } from './client.js';
import { type Fault, faultOf } from './fault.js';
import { onRenewed } from './session.js';

export interface View<Data> {
  data: Data | undefined;
  fault: Fault | undefined;
  isReading: boolean;
  /** Reads again, from the gateway. */
  reload(): void;
}

/**
 * The data of a query, which is not sent while `pause` is set. What was read stays while it is read again, and also if
 * that fails.
 */
export function useView<Data, Variables extends AnyVariables>(
  document: GeneratedDocument<Data, Variables>,
  variables: Variables,
  pause = false,
): View<Data> {
  const [{ data, error, fetching, stale }, execute] = useQuery<Data, AnyVariables>({
    query: byHash<Data, AnyVariables>(document as GeneratedDocument<Data, AnyVariables>),
    variables,
    pause,
    // What was read before is shown at once, and it is read again, because another view or program may have changed it.
    requestPolicy: 'cache-and-network',
  });
  const key = hashOf(document) + JSON.stringify(variables);
  const read = useRef<{ key: string; data: Data }>();
  if (data !== undefined && !error) read.current = { key, data };
  const reload = (): void => execute({ requestPolicy: 'network-only' });
  const isRefused = error !== undefined;
  useLayoutEffect(() => (isRefused ? onRenewed(reload) : undefined), [isRefused, key]);
  return {
    data: data ?? (read.current?.key === key ? read.current.data : undefined),
    fault: error && faultOf(error),
    isReading: fetching || stale,
    reload,
  };
}
