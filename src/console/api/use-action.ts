// A mutation that runs when `run` is called, once at a time.

import type { AnyVariables } from '@urql/core';
import { useMutation } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import { byHash, type GeneratedDocument } from './client.js';
import { type Fault, faultOf } from './fault.js';
import { onRenewed } from './session.js';

export interface Action<Data, Variables> {
  run(variables: Variables): Promise<Data | undefined>;
  isRunning: boolean;
  fault: Fault | undefined;
  data: Data | undefined;
  /** Forgets the last outcome. */
  reset(): void;
}

export function useAction<Data, Variables extends AnyVariables>(
  document: GeneratedDocument<Data, Variables>,
): Action<Data, Variables> {
  const [, execute] = useMutation<Data, AnyVariables>(
    byHash<Data, AnyVariables>(document as GeneratedDocument<Data, AnyVariables>),
  );
  const [state, setState] = useState<{ isRunning: boolean; fault?: Fault | undefined; data?: Data | undefined }>({
    isRunning: false,
  });
  // After a refused token, the mutation waits until the user starts it again with another one: what was typed may have
  // changed.
  useEffect(() => onRenewed(() => setState((last) => (last.fault?.needsToken ? { isRunning: false } : last))), []);
  const run = async (variables: Variables): Promise<Data | undefined> => {
    setState({ isRunning: true });
    const { data, error } = await execute(variables);
    setState({ isRunning: false, fault: error && faultOf(error), data: error ? undefined : data });
    return error ? undefined : data;
  };
  return {
    run,
    isRunning: state.isRunning,
    fault: state.fault,
    data: state.data,
    reset: () => setState({ isRunning: false }),
  };
}
