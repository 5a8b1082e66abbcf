// Whatever is asked of series, and whenever: issuers, credentials and programs are made up, and what one set of answers has beyond another one is
// nothing, or at least five holders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketSize,
  bucketsOf,
  type DayCounts,
  daysAfter,
  runsOf,
  sumOfDays,
} from '../../src/catalog/traction/traction-runs.js';
import { countsByEntry } from '../../src/events/counted-events.js';

const START = '2026-01-01';
const DAYS = 40;
const dayAt = (day: number): string => daysAfter(START, day);

/** Who got what, or was verified for what, on which day. */
interface Happening {
  day: number;
  person: number;
  credential: number;
  /** The program of a verification. */
  program?: number;
}

/** The issuer of a credential: the first one has credentials 0 to 2, the other one 3. */
const issuerOf = (credential: number): number => Math.floor(credential / 3);

const happening = fc.record(
  {
    day: fc.integer({ min: 0, max: DAYS - 1 }),
    person: fc.integer({ min: 0, max: 19 }),
    // Popular ones and rare ones.
    credential: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 }) },
    ),
    program: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 }) },
    ),
  },
  { requiredKeys: ['day', 'person', 'credential'] },
);
const history = fc
  .array(happening, { minLength: 30, maxLength: 150 })
  .map((all): Happening[] => all.sort((a, b) => a.day - b.day));

/** The event that a gateway writes, with its marks of firsts. */
function eventsOf(all: readonly Happening[]) {
  const before = new Set<string>();
  const isFirst = (name: string): boolean => before.size < before.add(name).size;
  return all.map(({ person, credential, program }) => {
    const ids = { credentialId: `c${credential}`, issuerId: `i${issuerOf(credential)}` };
    if (program !== undefined) {
      const firstOfProgram = isFirst(`p${program} ${person}`);
      const payload = { ...ids, programId: `p${program}`, status: 'Compliant', firstOfProgram };
      return { type: 'verification_closed' as const, payload };
    }
    const firstOfCredential = isFirst(`c${credential} ${person}`);
    const firstOfIssuer = isFirst(`i${issuerOf(credential)} ${person}`);
    return { type: 'submitted' as const, payload: { ...ids, firstOfCredential, firstOfIssuer } };
  });
}

/** One answer: which happenings one number counts, as the numbers' definitions say. */
interface Answer {
  entry: string;
  what: keyof DayCounts;
  counted: ReadonlySet<number>;
}

interface Question {
  moment: number;
  from: number;
  days: number;
  size: BucketSize;
}

const question = fc.record({
  moment: fc.integer({ min: 0, max: DAYS + 5 }),
  from: fc.integer({ min: -3, max: DAYS }),
  days: fc.integer({ min: 0, max: DAYS }),
  size: fc.constantFrom<BucketSize>('DAY', 'WEEK', 'MONTH'),
});

/** The answers of every entry that has a series, to one question; each number is checked against what it says that it counts. */
function answersTo(all: readonly Happening[], { moment, from, days, size }: Question): Answer[] {
  const events = eventsOf(all);
  const past = all.flatMap(({ day }, at) => (day <= moment ? [at] : []));
  const byEntry = new Map<string, Map<string, DayCounts>>();
  for (const at of past)
    for (const [entry, counts] of countsByEntry(events.slice(at, at + 1))) {
      const ofEntry = byEntry.get(entry) ?? new Map<string, DayCounts>();
      const day = dayAt(all[at]?.day ?? 0);
      byEntry.set(entry, ofEntry.set(day, sumOfDays(ofEntry.get(day) ?? NOTHING, counts)));
    }
  return [...byEntry].flatMap(([entry, ofEntry]) => {
    const { complete } = runsOf(ofEntry, dayAt(moment));
    const shown = complete.filter(({ to }) => dayAt(from) <= to && to <= dayAt(from + days));
    return bucketsOf(shown, size).flatMap((bucket) =>
      WHATS.map((what) => {
        const countedBy = (at: number) => countsByEntry(events.slice(at, at + 1)).get(entry)?.[what] ?? 0;
        const isIn = (day: string) => bucket.from <= day && day <= bucket.to;
        const counted = new Set(past.filter((at) => countedBy(at) > 0 && isIn(dayAt(all[at]?.day ?? 0))));
        expect(bucket[what]).toBe(counted.size);
        return { entry, what, counted };
      }),
    );
  });
}

const WHATS = ['issued', 'holders', 'verified'] as const;
const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };

const union = (answers: readonly Answer[]): Set<number> => new Set(answers.flatMap(({ counted }) => [...counted]));
const isDisjoint = (answers: readonly Answer[]): boolean =>
  union(answers).size === answers.reduce((sum, { counted }) => sum + counted.size, 0);

/** What one sum of answers has beyond another one, if the other is a part of it: what a subtraction shows. */
function beyond(more: readonly Answer[], less: readonly Answer[]): Set<number> | undefined {
  const [all, part] = [union(more), union(less)];
  const canBeSubtracted = isDisjoint(more) && isDisjoint(less) && [...part].every((at) => all.has(at));
  return canBeSubtracted ? new Set([...all].filter((at) => !part.has(at))) : undefined;
}

const personsOf = (all: readonly Happening[], counted: ReadonlySet<number>): number =>
  new Set([...counted].map((at) => all[at]?.person)).size;

/** Subtracts each number of each day from each other one. */
function expectNothingBetween(all: readonly Happening[]): void {
  const days = answersTo(all, { moment: 6, from: 0, days: 10, size: 'DAY' }).filter(({ counted }) => counted.size > 0);
  expect(days.length).toBeGreaterThanOrEqual(5);
  for (const more of days)
    for (const less of days) {
      const difference = beyond([more], [less]);
      if (difference && difference.size > 0) expect(personsOf(all, difference)).toBeGreaterThanOrEqual(5);
    }
}

describe('Series', () => {
  it('two series differ by no holder or at least five, over any entries, ranges and moments', () => {
    const asked = fc.record({ history, questions: fc.tuple(question, question), parts: fc.tuple(fc.nat(), fc.nat()) });
    fc.assert(
      fc.property(asked, ({ history: all, questions: [wide, narrow], parts }) => {
        // The second one is asked earlier of a part of the range, so that there is something to subtract.
        const [first, second] = [
          answersTo(all, wide),
          answersTo(all, { ...narrow, moment: Math.min(wide.moment, narrow.moment) }),
        ];
        for (const what of WHATS) {
          const pick = (answers: readonly Answer[], part: number) => {
            const ofWhat = answers.filter((answer) => answer.what === what && answer.counted.size > 0);
            const entries = [...new Set(ofWhat.map(({ entry }) => entry))].sort();
            return ofWhat.filter(({ entry }) => ((part >> entries.indexOf(entry)) & 1) === 1);
          };
          const difference = beyond(pick(first, parts[0]), pick(second, parts[1]));
          if (difference && difference.size > 0) expect(personsOf(all, difference)).toBeGreaterThanOrEqual(5);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('the series of an issuer with a popular and a rare credential do not reveal the rare one', () => {
    // Five people a day get the popular one; nobody or one person gets the rare one.
    const all = Array.from({ length: 5 }, (_, day): Happening[] => {
      const popular = Array.from({ length: 5 }, (_, at) => ({ day, person: day * 5 + at, credential: 0 }));
      return day % 2 === 0 ? popular : [...popular, { day, person: 100 + day, credential: 1 }];
    }).flat();
    expectNothingBetween(all);
  });

  it('the series of a credential and its popular program do not reveal the other program', () => {
    // Five people a day get the credential and are verified by one program; on some days the other one verifies one of them, too.
    const all = Array.from({ length: 5 }, (_, day): Happening[] => {
      const people = Array.from({ length: 5 }, (_, at) => ({ day, person: day * 5 + at, credential: 0 }));
      const verified = people.map((issued) => ({ ...issued, program: 0 }));
      return [...people, ...verified, ...(day % 2 === 0 ? [] : [{ ...(verified[0] as Happening), program: 1 }])];
    }).flat();
    expectNothingBetween(all);
  });

  it('each event counts in the series of one entry', () => {
    fc.assert(
      fc.property(history, (all) => {
        for (const event of eventsOf(all)) expect(countsByEntry([event]).size).toBe(1);
      }),
    );
  });
});
