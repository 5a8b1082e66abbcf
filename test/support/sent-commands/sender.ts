// Whether a test itself sends a command, or code under test does: decided by the nearest file of ours in the call stack.

/** Helpers that send commands on behalf of their callers. */
const PASSING_ON = /\/src\/store\/(plain-reads|command-limits|refused-writes)\.ts/;
const OWN = /\/(src|test)\/(?!support\/(sent-commands\/|commands\.setup))/;

/** The file of ours that is sending the current command; undefined if the call stack does not contain one. */
export function sender(): string | undefined {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const holder: { stack?: unknown } = {};
  Error.stackTraceLimit = 200;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName());
  Error.captureStackTrace(holder, sender);
  const files = holder.stack as (string | null)[];
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  const own = files.flatMap((file) =>
    file?.includes('/node_modules/') ? [] : (file?.match(OWN) ?? []).slice(0, 1).map(() => file),
  );
  return own.find((file) => file !== null && !PASSING_ON.test(file)) ?? undefined;
}

export const isTest = (file: string | undefined): boolean => file !== undefined && /\/test\//.test(file);
