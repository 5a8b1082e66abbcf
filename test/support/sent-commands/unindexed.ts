// Reads without an index to begin at, each with the reason why it stays small.
import type { Read } from './reads.js';

/** By `name: fields` of the read. */
const BOUNDED: readonly (readonly [read: RegExp, why: string])[] = [
  [
    /^find \w+: (\w+\.)*\w*[sS]ealed\w*( userUuid)?$/,
    'KEYSTORE_KEY changes: a cursor, whose batches are short commands',
  ],
  [
    /^find (credentials|issuers|programs|schemas|verifiers): live$/,
    'the search index, by a cursor; and pages of operators’ lists: nearly all rows are live',
  ],
  [
    /^find holders: abstractAccountAddress accountOwner$/,
    'migrate, by a cursor: a collection of holders is walked once',
  ],
  [/^aggregate (issuances|nullifiers):$/, '`traction verify`, an operator’s command that counts anew'],
  [/^aggregate auditEntries: pending seq$/, '`audit verify`, an operator’s command'],
];

/** Commands that go through whole collections at once: to be split into pieces by `_id`, which then need no entry. */
const WHOLE: readonly (readonly [read: RegExp, why: string])[] = [
  [/^update \w+: expire(s?)At retentionMs$/, 'a changed retention, once'],
  [
    /^(find|delete) (openTractionRuns|tractionRuns):$/,
    'the rebuild of traction: a row for each run that is open or shown',
  ],
  [/^find (credentials|issuers|programs): traction\.own/, 'the rebuild of traction'],
  [
    /^(find firstHoldings: at|aggregate issuances: coreClaimHash|aggregate verifications: _id status)$/,
    'the rebuild of traction',
  ],
  [
    /^(delete (accountLogins: address|chainJobs: holderId open|gasSpending: _id|holderPartners: holderId)|delete webhookDeliveries: body subject)$/,
    'an erasure, once for each holder',
  ],
  [
    /^(aggregate programUses:|find verifications: holder(Id|Key)|update events: payload.*|update revocationJobs: filter.*)/,
    'an erasure, once for each holder',
  ],
];

/** The reason why this read may do without an index; undefined if there is none. */
export function whyBounded(read: Read): string | undefined {
  const key = keyOf(read);
  return [...BOUNDED, ...WHOLE].find(([pattern]) => pattern.test(key))?.[1];
}

/** As in `find events: pending type`: the fields of the filter, sorted. */
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
