// What is told of a job: its story, and the sentences that are not the node's.

/** How many steps of its story a job keeps. */
const STORY_ENTRIES = 60;

/** The update that adds a step to a story. */
export const told = (at: Date, what: string) => ({ story: { $each: [{ at, what }], $slice: -STORY_ENTRIES } });

/** Why a job that the operator gave up has failed. */
export const GIVEN_UP = 'given up by the operator';
