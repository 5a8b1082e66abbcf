// What waits in a page has a limit, after which a test fails with what the page shows: Playwright waits for promises without one.
import type { Frame, Page } from 'playwright-core';

/** Only something that is broken takes this long, milliseconds. */
export const LIMIT_MS = 240_000;
/** How long a frame may take to say what it shows, milliseconds. */
const TELL_MS = 10_000;
/** How much of a frame's HTML a report has, characters. */
const MAX_HTML = 5_000;

/**
 * A script that lets requests of a page take 16 times as long: on a machine that stands still for a while, the wallet would
 * otherwise ask its user to try again.
 */
export const WITH_PATIENCE = `{
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms * 16);
}`;

/** HTML does not contain what was typed. */
const SHOWN = `JSON.stringify({
  hasFocus: document.hasFocus(),
  active: document.activeElement?.outerHTML.slice(0, 200),
  fields: [...document.querySelectorAll('input, textarea, select')].map(({ id, value, readOnly }) => ({ id, value, readOnly })),
  html: document.body?.outerHTML.slice(0, ${MAX_HTML}),
})`;

/** Gives `evaluate` and `close` of a page a limit. */
export function limitPage(page: Page, faults: readonly string[], limitMs = LIMIT_MS): void {
  const { evaluate, close } = page;
  const within = <T>(what: string, promise: Promise<T>): Promise<T> =>
    withinTime(
      promise,
      limitMs,
      async () => `${what} has no result after ${limitMs} ms.\n${await stateOf(page, faults)}`,
    );
  page.evaluate = ((...args: Parameters<typeof evaluate>) =>
    within(`evaluate(${args[0]})`, evaluate.apply(page, args))) as typeof evaluate;
  page.close = (...args) => within('close()', close.apply(page, args));
}

/** The promise's result. @throws Error with this message if it takes longer. */
async function withinTime<T>(promise: Promise<T>, ms: number, message: () => Promise<string>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, ms, 'late');
  });
  const first = await Promise.race([promise.then((value) => ({ value })), late]).finally(() => clearTimeout(timer));
  if (first === 'late') throw new Error(await message());
  return first.value;
}

async function stateOf(page: Page, faults: readonly string[]): Promise<string> {
  const frames = await Promise.all(page.frames().map(async (frame) => `${frame.url()}: ${await shownIn(frame)}`));
  return [...frames, `Faults: ${JSON.stringify(faults)}`].join('\n');
}

async function shownIn(frame: Frame): Promise<string> {
  try {
    return await withinTime(frame.evaluate<string>(SHOWN), TELL_MS, async () => 'the frame does not respond');
  } catch (error) {
    return String(error);
  }
}
