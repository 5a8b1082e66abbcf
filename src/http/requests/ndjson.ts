// Splits a byte stream into lines, with at most one chunk and one line in memory.
import { StringDecoder } from 'node:string_decoder';

/**
 * Lines of a UTF-8 stream, without their ends (LF or CRLF). A line longer than `maxLength` is cut to `maxLength + 1`
 * characters, which shows that it was too long; the rest of it is dropped as it arrives.
 */
export async function* linesOf(stream: AsyncIterable<unknown>, maxLength: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(chunk as Buffer)).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      yield finish(rest + part, maxLength);
      rest = '';
    }
    rest = (rest + last).slice(0, maxLength + 2);
  }
  rest += decoder.end();
  if (rest !== '') yield finish(rest, maxLength);
}

/** Removes a carriage return, then cuts the line. */
function finish(line: string, maxLength: number): string {
  return (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, maxLength + 1);
}
