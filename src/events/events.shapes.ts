// Shapes of events in REST (contract §9), from the table of event types.
import { about, BOOLEAN, listOf, named, object, oneOf, TEXT, TIME } from '../http/shapes.js';
import { ALL_EVENT_TYPES } from '../store/event-types.js';

const EVENT = named('Event', {
  ...object({
    id: about('Pass it as `after` to get the later events.', TEXT),
    type: oneOf(...ALL_EVENT_TYPES),
    at: TIME,
    'userId?': about("Only in events of a holder's session, for its partner.", TEXT),
  }),
  description: 'Its further fields depend on its type (contract §9).',
  additionalProperties: true,
});

export const EVENT_PAGE = object({
  items: listOf(EVENT),
  nextAfter: about('The `after` of the next page, also if there is nothing new.', TEXT),
  hasMore: BOOLEAN,
});
