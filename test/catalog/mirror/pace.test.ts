// A source whose responses take long to read uses a limited part of the process's time, so that other requests are
// served meanwhile.
import { expect, it } from 'vitest';
import { MIRROR_LIMITS } from '../../../src/catalog/mirror/limits.js';
import { Source } from '../../../src/catalog/mirror/source.js';
import { eventually } from '../../support/eventually.js';

const LARGE = `,"more":[${'{},'.repeat(1_300_000)}{}]`;

/** A source that responds at once, and the pauses after its responses; each pause lasts until the test ends it. */
function sourceOf(bodyOf: (id: string) => string) {
  const rests: { ms: number; end: () => void }[] = [];
  const stop = new AbortController();
  const source = new Source({
    base: 'https://source.example/v1',
    fetch: async (url) => {
      const body = Buffer.from(bodyOf(url.slice(url.lastIndexOf('/') + 1)));
      return { status: 200, contentType: 'application/json', body };
    },
    signal: stop.signal,
    pause: (ms, signal) =>
      new Promise((resolve) => {
        if (ms === 0) return resolve();
        signal.addEventListener('abort', () => resolve());
        rests.push({ ms, end: resolve });
      }),
    clock: () => 0,
    limits: MIRROR_LIMITS,
  });
  const read: string[] = [];
  /** Reads these details at the same time. */
  const ask = (...ids: string[]) =>
    Promise.allSettled(ids.map((id) => source.detail('schemas', id).finally(() => read.push(id))));
  return { rests, stop, read, ask };
}

it.each([
  ['large ones', (id: string) => `{"code":80000000,"data":{"schemaId":"${id}"${LARGE}}}`],
  ['large ones that are refused', (id: string) => `{"code":1,"data":{"schemaId":"${id}"${LARGE}}}`],
  ['large ones that are no JSON', (id: string) => `{"code":80000000,"data":{"schemaId":"${id}"${LARGE}`],
])('responses of a source are processed one by one, with a pause after each: %s', async (_name, bodyOf) => {
  const { rests, read, ask } = sourceOf(bodyOf);
  const asked = ask('a', 'b', 'c');
  for (const [at, id] of ['a', 'b', 'c'].entries()) {
    await eventually(() => expect(rests).toHaveLength(at + 1));
    await eventually(() => expect(read.at(-1)).toBe(id));
    expect(read).toHaveLength(at + 1);
    expect(rests[at]?.ms).toBeGreaterThan(0);
    rests[at]?.end();
  }
  expect((await asked).map(({ status }) => status)).toHaveLength(3);
});

it('a run that is ended does not wait for the pause', async () => {
  const { rests, stop, read, ask } = sourceOf((id) => `{"code":80000000,"data":{"schemaId":"${id}"${LARGE}}}`);
  const asked = ask('a', 'b');
  await eventually(() => expect(rests).toHaveLength(1));
  stop.abort();
  await asked;
  expect(read).toEqual(['a', 'b']);
});
