// Commands of MongoDB that this engine does not support: refused by name with NotImplemented (238), to distinguish them from typing errors.

/** Names of refused commands, with their purpose. */
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

/** Search is a service of MongoDB Atlas; other servers refuse these commands with SearchNotEnabled (31082) and this message. */
export const SEARCH_COMMANDS: ReadonlySet<string> = new Set([
  'createSearchIndexes',
  'dropSearchIndex',
  'updateSearchIndex',
]);
