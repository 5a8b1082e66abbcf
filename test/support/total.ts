// Totals of suites whose cases are not tests of their own: each prints its total on one line, and leaves it in vitest's report, from which
// tools/suite-totals.mjs prints all of them once more.

declare module 'vitest' {
  interface TaskMeta {
    /** What a test has tried, and how much of it was right. */
    total?: string;
    /** How many REST responses of a test were compared with openapi.json. */
    documented?: number;
  }
}

/** @param task of the test, from its context. @param total for example "graphql-http: 61 of 61 audits ok". */
export function printTotal(task: { meta: { total?: string } }, total: string): void {
  task.meta.total = total;
  console.log(total);
}
