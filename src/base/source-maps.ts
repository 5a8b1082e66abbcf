// Stack traces that name the TypeScript sources. Node's own source maps read the map of every module when it is loaded, a tenth of a
// start's processor time; here a map is read when the first stack shows its file.
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** A place in a built file, as V8 writes it. */
const PLACE = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | undefined>();

/** From now on, stacks show the sources of files that have a map beside them. */
export function mapStacks(): void {
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${withSource(String(frame))}`)].join('\n');
}

/** A line of a stack, with the place in the source in place of the one in the built file; unchanged if that has no map. */
export function withSource(line: string): string {
  return line.replace(PLACE, (place, url: string, row: string, column: string) => {
    try {
      const found = mapOf(url)?.findEntry(Number(row) - 1, Number(column) - 1);
      if (found === undefined || !('originalSource' in found)) return place;
      const source = fileURLToPath(new URL(found.originalSource, url));
      return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    } catch {
      // A stack that cannot be mapped is shown as it is.
      return place;
    }
  });
}

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined);
  }
  return maps.get(url);
}

/** The first line of a stack; an error whose name or message throws has one too. */
function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}
