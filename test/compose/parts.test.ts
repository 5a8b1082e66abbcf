// The parts of a process start after what they need, and stop before it.
import { expect, it } from 'vitest';
import { checked, type Part, startParts, stopParts } from '../../src/compose/parts.js';

/** Parts that take a while to stop, and the order of what happens. */
function recorded(needs: Record<string, readonly string[]>) {
  const order: string[] = [];
  const part = ([name, needed]: [string, readonly string[]]): [string, Part] => [
    name,
    {
      needs: needed,
      start: () => order.push(`start ${name}`),
      stop: async () => {
        order.push(`stop ${name}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`stopped ${name}`);
      },
    },
  ];
  return { parts: checked(Object.fromEntries(Object.entries(needs).map(part))), order };
}

const NEEDS = { requests: ['workers', 'search'], workers: ['lease', 'search'], search: ['feed'], lease: [], feed: [] };

it('parts start after all that they need, in whatever order they are listed', () => {
  const { parts, order } = recorded(NEEDS);
  startParts(parts);
  for (const [name, needs] of Object.entries(NEEDS))
    for (const needed of needs) expect(order.indexOf(`start ${needed}`)).toBeLessThan(order.indexOf(`start ${name}`));
  expect(order).toHaveLength(Object.keys(NEEDS).length);
});

it('parts stop once, after all that need them, and others at the same time', async () => {
  const { parts, order } = recorded(NEEDS);
  await stopParts(parts);
  for (const [name, needs] of Object.entries(NEEDS))
    for (const needed of needs) expect(order.indexOf(`stopped ${name}`)).toBeLessThan(order.indexOf(`stop ${needed}`));
  expect(order).toHaveLength(2 * Object.keys(NEEDS).length);
  expect(order.indexOf('stop lease')).toBeLessThan(order.indexOf('stopped search'));
});

it('parts that need each other are refused', () => {
  expect(() => recorded({ a: ['b'], b: ['c'], c: ['a'] })).toThrow('these parts need each other: a, b, c, a');
});

it('parts needed by one that fails to stop are not stopped, and the error is thrown', async () => {
  let isStopped = false;
  const stopping = stopParts({
    requests: { needs: ['lease'], stop: () => Promise.reject(new Error('does not close')) },
    lease: {
      stop: () => {
        isStopped = true;
      },
    },
  });
  await expect(stopping).rejects.toThrow('does not close');
  expect(isStopped).toBe(false);
});
