// Figures and their bars, printed as one table.

/** One bar: what was measured, in words and against its limit. */
export interface Bar {
  name: string;
  measured: number;
  limit: number;
  /** Whether the figure must stay below the limit or above it. */
  holds: 'at most' | 'at least';
  unit: string;
  /** The absolute figures behind a ratio. */
  detail?: string;
}

/** The machine does other work: there is no figure. */
export class TooNoisy extends Error {}

const shown = (value: number, unit: string): string => `${value.toFixed(value < 10 ? 2 : 0)}${unit && ` ${unit}`}`;

/** Whether a bar is met. */
export function isMet({ measured, limit, holds }: Bar): boolean {
  return holds === 'at most' ? measured <= limit : measured >= limit;
}

/** One line for a bar. */
export function lineOf(bar: Bar): string {
  const { name, measured, limit, holds, unit, detail } = bar;
  const verdict = isMet(bar) ? 'met   ' : 'MISSED';
  const figures = `${shown(measured, unit)} (${holds} ${shown(limit, unit)})`;
  return `${verdict}  ${name}: ${figures}${detail === undefined ? '' : `; ${detail}`}`;
}

/** The number that this share of a list is below; 0.5 for the middle. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** The middle of a list of numbers. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** How long something takes, milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
