// An import: sends a file of NDJSON, and reads the result of each line as it comes.
import { requestRest } from '../api/rest.js';

/** The result of one line of the file. */
export interface LineResult {
  /** The number of the line in the file, from 1. */
  line: number;
  kind: string | null;
  id: string | null;
  result: 'created' | 'updated' | 'unchanged' | 'refused';
  message?: string;
}

/** Sends a file. @throws RestFault if the whole file is refused; Error if the response ends too early. */
export async function* importFile(file: Blob, signal: AbortSignal): AsyncGenerator<LineResult[]> {
  const headers = { 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson, application/json' };
  const { body } = await requestRest('/v1/admin/import', { method: 'POST', headers, body: file, signal });
  if (body === null) return;
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await reader.read();
    const lines = `${rest}${value ?? ''}`.split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    yield lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LineResult);
    if (done) return;
  }
}
