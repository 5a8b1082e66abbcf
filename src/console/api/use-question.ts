// Sends a query to the gateway on request, one at a time.
import type { AnyVariables } from '@urql/core';
import { useClient } from '@urql/preact';
import { useState } from 'preact/hooks';
import { byHash, type GeneratedDocument } from './client.js';
import { type Fault, faultOf } from './fault.js';

interface Outcome<Data> {
  isRunning: boolean;
  fault?: Fault | undefined;
  data?: Data | undefined;
}

export interface Question<Data, Variables> extends Outcome<Data> {
  ask(variables: Variables): Promise<void>;
  /** Forgets the last outcome. */
  reset(): void;
}

export function useQuestion<Data, Variables extends AnyVariables>(
  document: GeneratedDocument<Data, Variables>,
): Question<Data, Variables> {
  const client = useClient();
  const [state, setState] = useState<Outcome<Data>>({ isRunning: false });
  const ask = async (variables: Variables): Promise<void> => {
    setState({ isRunning: true });
    const { data, error } = await client.query(byHash(document), variables, { requestPolicy: 'network-only' });
    setState({ isRunning: false, fault: error && faultOf(error), data: error ? undefined : data });
  };
  return { ...state, ask, reset: () => setState({ isRunning: false }) };
}
