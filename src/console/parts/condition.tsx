// A condition in words, with the title and type of its field.

export interface ShownCondition {
  field: string;
  operator: string;
  values: readonly unknown[];
}

interface Point {
  name: string;
  title: string;
  type: string;
}

type Phrase = (values: readonly string[]) => string;

const list = new Intl.ListFormat('en', { type: 'disjunction' });
const first = ([value = '']: readonly string[]): string => value;
const between: Phrase = ([low = '', high = '']) => `${low} and ${high}`;

const PHRASES: Readonly<Record<string, Phrase>> = {
  $eq: (values) => `is ${first(values)}`,
  $ne: (values) => `is not ${first(values)}`,
  $lt: (values) => `is less than ${first(values)}`,
  $lte: (values) => `is at most ${first(values)}`,
  $gt: (values) => `is more than ${first(values)}`,
  $gte: (values) => `is at least ${first(values)}`,
  $in: (values) => `is one of ${list.format(values)}`,
  $nin: (values) => `is none of ${list.format(values)}`,
  $between: (values) => `is between ${between(values)}`,
  $nonbetween: (values) => `is not between ${between(values)}`,
  $exists: ([value]) => (value === 'false' ? 'is absent' : 'is there'),
};

/** Words for comparisons of dates. */
const DATE_PHRASES: Readonly<Record<string, Phrase>> = {
  ...PHRASES,
  $lt: (values) => `is before ${first(values)}`,
  $lte: (values) => `is on or before ${first(values)}`,
  $gt: (values) => `is after ${first(values)}`,
  $gte: (values) => `is on or after ${first(values)}`,
};

/** `Date of birth (date) is on or before 2008-11-26`. */
export function ConditionWords({ condition, points }: { condition: ShownCondition; points: readonly Point[] }) {
  const { field, operator, values } = condition;
  const point = points.find(({ name }) => name === field);
  const phrases = point?.type.startsWith('date') ? DATE_PHRASES : PHRASES;
  const words = phrases[operator]?.(values.map(String)) ?? `${operator} ${values.map(String).join(', ')}`;
  return (
    <>
      <strong>
        <bdi>{point?.title || field}</bdi>
      </strong>{' '}
      {point && <span class="quiet">({point.type})</span>} <bdi>{words}</bdi>
    </>
  );
}
