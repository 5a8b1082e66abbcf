// Due work is done when a row is reported, when its time comes, and when the clock jumps; at other times, the store is not read.
import { expect, it, onTestFinished } from 'vitest';
import { Bell } from '../../src/base/concurrency/bell.js';
import { pollDue } from '../../src/store/poll-due.js';
import { eventually } from '../support/eventually.js';

/** A poll with one due time; it counts its reads. */
function looking(dueAt: number | undefined) {
  const state = { dueAt, now: 1_000_000, looks: 0, done: 0 };
  const bell = new Bell();
  const end = new AbortController();
  const work = async (): Promise<number | undefined> => {
    state.looks += 1;
    if (state.dueAt === undefined || state.dueAt > state.now) return state.dueAt;
    state.done += 1;
    state.dueAt = undefined;
    return undefined;
  };
  const running = pollDue({ signal: end.signal, bell, clock: () => state.now, gapMs: 10, work });
  onTestFinished(async () => {
    end.abort();
    await running;
  });
  return { state, bell };
}

it('due work is done when a row is reported, although nothing was due', async () => {
  const { state, bell } = looking(undefined);
  await eventually(() => expect(state.looks).toBe(1));
  state.dueAt = state.now;
  bell.ring();
  await eventually(() => expect(state.done).toBe(1));
});

it('due work is done at its time, and when the clock jumps to it', async () => {
  const { state } = looking(1_000_000 + 3_600_000);
  await eventually(() => expect(state.looks).toBe(1));
  state.now += 3_600_000;
  await eventually(() => expect(state.done).toBe(1));
});

it('due work is done when a row is reported that is due earlier than the next one', async () => {
  const { state, bell } = looking(1_000_000 + 3_600_000);
  await eventually(() => expect(state.looks).toBe(1));
  state.dueAt = state.now - 1;
  bell.ring();
  await eventually(() => expect(state.done).toBe(1));
});

it('when the clock is set back, work is not done early, and rows are read once meanwhile', async () => {
  const { state } = looking(1_000_000 + 50);
  await eventually(() => expect(state.looks).toBe(1));
  state.now -= 3_600_000;
  await eventually(() => expect(state.looks).toBe(2));
  // Longer than between two comparisons of the clock.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(state).toMatchObject({ looks: 2, done: 0 });
  state.now += 3_600_050;
  await eventually(() => expect(state.done).toBe(1));
});

it('failed work is retried soon although the clock is set back by an hour meanwhile', async () => {
  const state = { now: 1_000_000_000, looks: 0 };
  const end = new AbortController();
  const clock = (): number => state.now;
  const work = async (): Promise<number | undefined> => {
    state.looks += 1;
    // Behaves like work that has failed at the first attempt.
    return state.looks === 1 ? clock() + 60_000 : undefined;
  };
  const running = pollDue({ signal: end.signal, bell: new Bell(), clock, gapMs: 10, work });
  await eventually(() => expect(state.looks).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  state.now -= 3_600_000;
  await eventually(() => expect(state.looks).toBe(2));
  end.abort();
  await running;
});
