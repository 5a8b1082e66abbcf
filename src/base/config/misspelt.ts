// Variables of the environment whose names are almost those of the gateway.

/** The most letters that may be wrong, missing or too many, and for which length of a name. */
const MOST_WRONG = 2;
const LONG = 8;
/** Names of other programs that are near to ours. */
const OTHERS: ReadonlySet<string> = new Set(['HOSTNAME', 'HOSTS', 'PORTS', 'NODE_ENV']);

/**
 * A sentence for each variable that is none of these names but nearly one, with the nearest right one. Names of fewer
 * than 8 letters are not compared: too many others are near to them.
 */
export function misspelt(environment: NodeJS.ProcessEnv, names: readonly string[]): string[] {
  const known = new Set(names);
  const compared = names.filter((name) => name.length >= LONG);
  return Object.keys(environment).flatMap((name) => {
    if (known.has(name) || OTHERS.has(name) || name.length < LONG - MOST_WRONG) return [];
    const near = nearest(name, compared);
    return near === undefined || environment[near] ? [] : [`${name} is not a variable of the gateway: is it ${near}?`];
  });
}

function nearest(name: string, names: readonly string[]): string | undefined {
  const distances = names.map((each) => ({ each, distance: distanceOf(name.toUpperCase(), each) }));
  const [first] = distances.sort((one, other) => one.distance - other.distance);
  return first !== undefined && first.distance <= MOST_WRONG ? first.each : undefined;
}

/** Letters to insert, remove or replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_WRONG) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
