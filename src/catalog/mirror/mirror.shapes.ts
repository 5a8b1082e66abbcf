// The shape of runs over other networks.
import { COUNT, listOf, named, object, oneOf, orNull, TEXT, TIME } from '../../http/shapes.js';

export const MIRROR_RUNS = object({
  data: listOf(
    named(
      'MirrorRun',
      object({
        source: TEXT,
        state: oneOf('running', 'done', 'stopped'),
        startedAt: TIME,
        finishedAt: orNull(TIME),
        phase: TEXT,
        page: COUNT,
        created: COUNT,
        updated: COUNT,
        unchanged: COUNT,
        refused: COUNT,
        kept: COUNT,
        missing: COUNT,
        message: orNull(TEXT),
      }),
    ),
  ),
});
