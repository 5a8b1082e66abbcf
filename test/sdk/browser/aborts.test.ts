// Calls that the page aborts: the page hears of that at once, the frame ends what it shows, and what others share goes on.
import { describe, expect, it } from 'vitest';
import { CoreServiceError } from '../../../src/sdk/core/error.js';
import { untilAborted, usable } from '../../../src/sdk/web/calls.js';
import { isMessage } from '../../../src/wallet/check.js';
import { outcome } from '../../../src/wallet/outcome.js';
import { PageCalls, SharedRuns } from '../../../src/wallet/page-calls.js';
import { ScreenHost, type Shown } from '../../../src/wallet/screen-host.js';

const settled = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
/** Lets everything go on that waits for no user. */
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** A frame whose operation shows one screen, and a page that calls it by numbers. */
class World {
  readonly seen: string[] = [];
  readonly sent: number[] = [];
  shown: Shown | undefined;
  readonly host = new ScreenHost({
    show: () => void this.seen.push('show'),
    hide: () => void this.seen.push('hide'),
    draw: (shown) => {
      this.shown = shown;
    },
  });
  readonly #calls = new PageCalls();
  readonly #runs = new SharedRuns();
  #number = 0;

  #ask(end?: AbortSignal): Promise<number> {
    return this.host.run(async ({ present, requireOpen }) => {
      await present<'name'>({ kind: 'name' });
      requireOpen();
      return this.sent.push(1);
    }, end);
  }

  /** Calls the operation as the page part does. @param shared as those of which one runs at a time */
  call(signal?: AbortSignal, shared = false): Promise<unknown> {
    const number = ++this.#number;
    const run = (end?: AbortSignal) =>
      shared ? this.#runs.run('claim', end, (all) => this.#ask(all)) : this.#ask(end);
    const result = outcome(() => this.#calls.run(usable(signal) && number, run));
    return settled(untilAborted(result, signal, async () => this.#calls.abort(number)));
  }
}

describe('A call with a signal', () => {
  it('that is aborted rejects with the reason, closes its dialog, and sends nothing', async () => {
    const world = new World();
    const ending = new AbortController();
    const result = world.call(ending.signal);
    await rest();
    expect(world.shown?.screen?.kind).toBe('name');
    const { answer } = world.shown ?? {};
    const reason = new Error('the user went elsewhere');
    ending.abort(reason);
    expect(await result).toEqual({ error: reason });
    answer?.({ name: 'late' });
    await rest();
    expect(world.shown).toBeUndefined();
    expect(world.seen.at(-1)).toBe('hide');
    expect(world.sent).toEqual([]);
  });

  it('that is aborted while it waits for another one never opens a dialog; the other one goes on', async () => {
    const world = new World();
    const first = world.call();
    const ending = new AbortController();
    const second = world.call(ending.signal);
    await rest();
    ending.abort();
    expect(await second).toMatchObject({ error: { name: 'AbortError' } });
    world.shown?.answer?.({ name: '' });
    expect(await first).toEqual({ value: { value: 1 } });
    await rest();
    expect(world.seen.filter((what) => what === 'show')).toHaveLength(1);
    expect(await Promise.race([world.call(), rest().then(() => 'the next one waits for its user')])).toBe(
      'the next one waits for its user',
    );
    expect(world.shown?.screen?.kind).toBe('name');
  });

  it('leaves a run that others share, which ends once all of them are aborted', async () => {
    const world = new World();
    const [one, two] = [new AbortController(), new AbortController()];
    const results = [world.call(one.signal, true), world.call(two.signal, true)];
    await rest();
    one.abort();
    expect(await results[0]).toMatchObject({ error: { name: 'AbortError' } });
    await rest();
    expect(world.shown?.screen?.kind).toBe('name');
    two.abort();
    expect(await results[1]).toMatchObject({ error: { name: 'AbortError' } });
    const next = world.call(undefined, true);
    await rest();
    world.shown?.answer?.({ name: '' });
    expect(await next).toEqual({ value: { value: 1 } });
  });

  it('that is aborted already is not sent, and one that has no signal is refused', async () => {
    expect(() => usable(AbortSignal.abort('before'))).toThrow('before');
    expect(() => usable({} as AbortSignal)).toThrow(CoreServiceError);
    expect(usable(null)).toBeUndefined();
  });

  it('has a number, and the page aborts by numbers alone', () => {
    const message = (method: string, ...args: unknown[]) =>
      isMessage({ type: 'CALL', id: 'a', methodPath: [method], args } as { type: unknown });
    expect(message('login', {})).toBe(true);
    expect(message('login', {}, 7)).toBe(true);
    expect(message('setupOrUpdateMfa', 7)).toBe(true);
    expect(message('abort', 7)).toBe(true);
    for (const wrong of ['7', 0, 1.5, {}, null]) {
      expect(message('abort', wrong)).toBe(false);
      expect(message('login', {}, wrong)).toBe(false);
    }
    expect(message('logout', 7)).toBe(false);
  });
});
