// Totals of test suites whose cases are not tests of their own. Each suite prints its total on one line and stores it
// in vitest's report; tools/suite-totals.mjs prints all of them at the end.

declare module 'vitest' {
  interface TaskMeta {
    /** How many cases a test has tried, and how many passed. */
    total?: string;
    /** How many REST responses of a test were compared with openapi.json. */
    documented?: number;
  }
}

/**
 * Prints the total of a suite. @param task the test, from its context @param total for example "graphql-http: 61 of 61
 * audits ok"
 */
export function printTotal(task: { meta: { total?: string } }, total: string): void {
  task.meta.total = total;
  console.log(total);
}
