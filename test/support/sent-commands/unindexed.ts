// Reads without an index, each with the reason why it stays small.
import type { Read } from './reads.js';

/** Patterns for `name: fields` of a read. */
const BOUNDED: readonly (readonly [read: RegExp, why: string])[] = [
  [
    /^find \w+: (\w+\.)*\w*[sS]ealed\w*( userUuid)?$/,
    'KEYSTORE_KEY changes: a cursor, whose batches are short commands',
  ],
  [
    /^find (credentials|issuers|programs|schemas|verifiers): live$/,
    'the search index, by a cursor; and pages of operators’ lists: nearly all rows are live',
  ],
  [/^update offers: (due sealedSubject state|state stateHash)$/, 'migrate: a collection of offers is walked once'],
  [
    /^find holders: abstractAccountAddress accountOwner$/,
    'migrate, by a cursor: a collection of holders is walked once',
  ],
  [/^find (openTractionRuns|tractionRuns):$/, '`traction verify`, an operator’s command, by a cursor'],
  [/^aggregate auditEntries: pending seq$/, '`audit verify`, an operator’s command'],
  [/^find auditEntries:$/, '`audit export`, an operator’s command, by a cursor'],
  [/^(find|aggregate) processes:/, 'a row for each gateway process'],
  [/^update leases: holder$/, 'a row for each kind of elected work'],
  [/^find partners: keySetProblem$/, '`doctor`: partners are some thousands at most'],
];

/** The reason why this read needs no index; undefined if there is none. */
export function whyBounded(read: Read): string | undefined {
  const key = keyOf(read);
  return BOUNDED.find(([pattern]) => pattern.test(key))?.[1];
}

/** For example `find events: pending type`: the fields of the filter, sorted. */
export function keyOf({ name, filter }: Read): string {
  const fields = new Set<string>();
  collect(filter, fields);
  return `${name}: ${[...fields].sort().join(' ')}`.trimEnd();
}

function collect(filter: unknown, fields: Set<string>): void {
  for (const [name, value] of Object.entries((filter ?? {}) as object)) {
    if (!name.startsWith('$')) fields.add(name);
    else if (Array.isArray(value)) for (const each of value) collect(each, fields);
  }
}
