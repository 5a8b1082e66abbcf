// Outbound calls for other domains: the guarded fetch behind the partners' door.
export {
  type GuardedAnswer,
  type GuardedFetch,
  GuardedFetchError,
  guardedFetch,
} from './guarded-fetch.js';
