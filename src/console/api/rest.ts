// Requests that only REST has: reading an entry with its etag, and the import.
import { useEffect, useState } from 'preact/hooks';
import { type Fault, faultOfResponse, faultOfStatus, inWords } from './fault.js';
import { fetchAsCaller } from './session.js';
import type { View } from './use-view.js';

/** A request that was refused or did not arrive. */
export class RestFault extends Error {
  constructor(
    readonly fault: Fault,
    /** The status of the response; absent if there was none. */
    readonly status?: number,
  ) {
    super(fault.sentence);
  }
}

/** Requests a path as the caller of this page. @throws RestFault unless the status is 2xx. */
export async function requestRest(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetchAsCaller(path, init);
  } catch {
    throw new RestFault(faultOfResponse(undefined));
  }
  if (response.ok) return response;
  const { message, field } = (await response.json().catch(() => ({}))) as { message?: string; field?: string };
  const sentence = message && field ? inWords(message, field) : message;
  const fault = faultOfStatus(response) ?? (sentence ? { sentence } : faultOfResponse(response));
  throw new RestFault(fault, response.status);
}

export interface RestView<Data> extends View<Data> {
  /** Whether the gateway responds that the path does not exist. */
  isAbsent: boolean;
}

interface State<Data> {
  path: string | undefined;
  data?: Data;
  error?: RestFault | undefined;
}

/**
 * Reads a path, and reads it again on request.
 * @param path if undefined, nothing is read
 * @param parse makes the data from the response's text
 */
export function useRest<Data>(path: string | undefined, parse: (text: string) => Data): RestView<Data> {
  const [state, setState] = useState<State<Data>>({ path });
  const [turn, setTurn] = useState(0);
  const [isReading, setReading] = useState(true);
  useEffect(() => {
    if (path === undefined) return;
    let isCurrent = true;
    setReading(true);
    // What was read stays when another attempt to read it fails.
    const show = (next: State<Data>): void => {
      if (!isCurrent) return;
      const isGone = next.error?.status === 404;
      setState((before) => (isGone || before.path !== path ? next : { ...before, error: undefined, ...next }));
      setReading(false);
    };
    requestRest(path)
      .then(async (response) => show({ path, data: parse(await response.text()) }))
      .catch((error: unknown) =>
        show({
          path,
          error: error instanceof RestFault ? error : new RestFault({ sentence: (error as Error).message }),
        }),
      );
    return () => {
      isCurrent = false;
    };
  }, [path, turn]);
  const { data, error } = state.path === path ? state : ({} as State<Data>);
  const isAbsent = error?.status === 404;
  return {
    data,
    fault: isAbsent ? undefined : error?.fault,
    isAbsent,
    isReading,
    reload: () => setTurn((before) => before + 1),
  };
}
