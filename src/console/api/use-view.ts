// Reads what a view shows by one query, and reads it again when it is asked to.

import type { AnyVariables } from '@urql/core';
import { useQuery } from '@urql/preact';
import { byHash, type GeneratedDocument } from './client.js';
import { type Fault, faultOf } from './fault.js';

export interface View<Data> {
  data: Data | undefined;
  fault: Fault | undefined;
  isReading: boolean;
  /** Reads again, from the gateway. */
  reload(): void;
}

/** The data of a query; `pause` leaves it unread. */
export function useView<Data, Variables extends AnyVariables>(
  document: GeneratedDocument<Data, Variables>,
  variables: Variables,
  pause = false,
): View<Data> {
  const [{ data, error, fetching, stale }, execute] = useQuery<Data, AnyVariables>({
    query: byHash<Data, AnyVariables>(document as GeneratedDocument<Data, AnyVariables>),
    variables,
    pause,
  });
  return {
    data,
    fault: error && faultOf(error),
    isReading: fetching || stale,
    reload: () => execute({ requestPolicy: 'network-only' }),
  };
}
