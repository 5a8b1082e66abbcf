// The story of a job: what happened to it, for the operator.

/** How many steps of its story a job stores. */
const STORY_ENTRIES = 60;

/** The update that adds an entry to a story. */
export const storyUpdate = (at: Date, what: string) => ({ story: { $each: [{ at, what }], $slice: -STORY_ENTRIES } });

/** The error of a job that the operator cancelled. */
export const GIVEN_UP = 'given up by the operator';
