// The plot of a series, drawn by uPlot. Styles are set by script, which the page's policy allows.
import UPlot from 'uplot';

export interface Bucket {
  /** First and last day, like `2026-01-01`. */
  from: string;
  to: string;
  /** One count for each name. */
  values: readonly number[];
}

const HEIGHT = 220;
const DAY_S = 86_400;

const secondsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000;

/** Draws buckets into an element, with its width and the page's colours. @returns a function that removes the plot. */
export function drawPlot(place: HTMLElement, buckets: readonly Bucket[], names: readonly string[]): () => void {
  const style = getComputedStyle(place);
  const colours = [style.getPropertyValue('--main'), style.getPropertyValue('--second')];
  const axis = { stroke: style.getPropertyValue('--text'), grid: { stroke: style.getPropertyValue('--soft') } };
  const data: UPlot.AlignedData = [
    buckets.map(({ to }) => secondsOf(to)),
    ...names.map((_, index) => buckets.map(({ values }) => values[index] ?? 0)),
  ];
  const [first = 0] = data[0] as number[];
  const last = (data[0] as number[]).at(-1) ?? first;
  const options: UPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: [first - DAY_S, last + DAY_S] },
      y: { range: (_plot, _low, high) => [0, Math.max(high, 1) * 1.1] },
    },
    axes: [axis, axis],
    series: [
      {},
      ...names.map((label, index) => ({
        label,
        stroke: colours[index] ?? 'currentColor',
        width: 2,
        points: { show: buckets.length < 60 },
      })),
    ],
  };
  const plot = new UPlot(options, data, place);
  const resize = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
  resize.observe(place);
  return () => {
    resize.disconnect();
    plot.destroy();
  };
}
