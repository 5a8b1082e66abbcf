// Counts over time: a plot, which is loaded when it is shown, and a table with the same numbers.
import { useEffect, useRef } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import type { TractionBucketSize } from '../api/generated/graphql.js';
import { Scrolls } from '../parts/scrolls.js';
import { number } from '../parts/text.js';
import { withValues } from './address.js';
import type { Bucket } from './plot.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 365;
const RANGES = { '30': '30 days', '90': '90 days', '365': 'a year' } as const;
const SIZES: Readonly<Record<TractionBucketSize, string>> = { DAY: 'days', WEEK: 'weeks', MONTH: 'months' };

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The range of a series as variables, from the address. */
export function useSeriesRange(): { from: string; to: string; bucket: TractionBucketSize } {
  const query = new URLSearchParams(useSearch());
  const days = Math.min(Number(query.get('days')) || 90, MAX_DAYS);
  const size = query.get('by') ?? '';
  const now = Date.now();
  return {
    from: dayOf(now - days * DAY_MS),
    to: dayOf(now),
    bucket: size in SIZES ? (size as TractionBucketSize) : 'DAY',
  };
}

export function SeriesView({ buckets, names }: { buckets: readonly Bucket[]; names: readonly string[] }) {
  return (
    <>
      <SeriesForm />
      <p class="quiet">
        Without imported counts. A bucket has at least 5 new holders: smaller groups are merged with later days, so that
        nobody can be counted out.
      </p>
      {buckets.length === 0 ? (
        <p>Nothing to show in this time.</p>
      ) : (
        <>
          <Plot buckets={buckets} names={names} />
          <SeriesTable buckets={buckets} names={names} />
        </>
      )}
    </>
  );
}

function SeriesForm() {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const query = new URLSearchParams(search);
  const set = (values: Record<string, string>): void =>
    navigate(`${path}?${withValues(search, values)}`, { replace: true });
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Time
        <select value={query.get('days') ?? '90'} onChange={({ currentTarget }) => set({ days: currentTarget.value })}>
          {Object.entries(RANGES).map(([days, label]) => (
            <option key={days} value={days}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        By
        <select value={query.get('by') ?? 'DAY'} onChange={({ currentTarget }) => set({ by: currentTarget.value })}>
          {Object.entries(SIZES).map(([size, label]) => (
            <option key={size} value={size}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}

/** Draws each bucket at its last day. Screen readers get the table instead. */
function Plot({ buckets, names }: { buckets: readonly Bucket[]; names: readonly string[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let remove = (): void => {};
    let isOver = false;
    void import('./plot.js').then(({ drawPlot }) => {
      if (!isOver && place.current) remove = drawPlot(place.current, buckets, names);
    });
    return () => {
      isOver = true;
      remove();
    };
  }, [buckets, names]);
  return <div ref={place} class="plot" aria-hidden="true" />;
}

function SeriesTable({ buckets, names }: { buckets: readonly Bucket[]; names: readonly string[] }) {
  return (
    <details>
      <summary>As a table</summary>
      <Scrolls label="Counts over time">
        <table>
          <thead>
            <tr>
              <th scope="col">Days</th>
              {names.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {buckets.map(({ from, to, values }) => (
              <tr key={from}>
                <th scope="row">{from === to ? from : `${from} to ${to}`}</th>
                {values.map((value, index) => (
                  <td key={names[index]}>{number(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </details>
  );
}
