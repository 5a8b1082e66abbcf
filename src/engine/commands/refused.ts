// Commands that MongoDB has and this engine does not: refused by name with NotImplemented (238), so that nobody looks for a typing error.

/** Names of refused commands, with what they are for. */
export const REFUSED_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['bulkWrite', 'writes to several collections in one command (server 8.0)'],
  ['cloneCollectionAsCapped', 'capped collections'],
  ['collMod', 'changing the options of a collection or index'],
  ['compact', 'compaction; use the command line of the gateway'],
  ['convertToCapped', 'capped collections'],
  ['createRole', 'users and roles'],
  ['createUser', 'users and roles'],
  ['currentOp', 'looking at running operations'],
  ['enableSharding', 'sharding'],
  ['fsync', 'locking for backups'],
  ['geoNear', 'geography'],
  ['killOp', 'ending running operations'],
  ['logRotate', 'log files'],
  ['mapReduce', 'map-reduce'],
  ['profile', 'the profiler'],
  ['reIndex', 'rebuilding indexes'],
  ['renameCollection', 'renaming collections'],
  ['replSetGetStatus', 'replica set administration'],
  ['saslStart', 'authentication'],
  ['setParameter', 'server parameters'],
  ['shardCollection', 'sharding'],
  ['top', 'usage statistics'],
  ['usersInfo', 'users and roles'],
  ['validate', 'checking a collection; use the command line of the gateway'],
]);

/** Search belongs to MongoDB's cloud; a plain server refuses these with SearchNotEnabled (31082) and this sentence. */
export const SEARCH_COMMANDS: ReadonlySet<string> = new Set([
  'createSearchIndexes',
  'dropSearchIndex',
  'updateSearchIndex',
]);
