// The fields that a command accepts: its own and the common ones. Any other field is an error (40415).
import type { Command } from './context.js';

/** Fields that any command may carry. */
const COMMON = new Set([
  ...['$db', '$clusterTime', '$readPreference', '$queryOptions', 'lsid', 'txnNumber', 'autocommit', 'startTransaction'],
  ...['apiVersion', 'apiStrict', 'apiDeprecationErrors', 'maxTimeMS', 'comment', 'readConcern', 'writeConcern', 'help'],
  ...['allowImplicitCollectionCreation', '$audit', '$client', '$configServerState', 'mayBypassWriteBlocking'],
]);

const cache = new WeakMap<Command, ReadonlySet<string>>();

/** The fields that a command may have, its name among them. */
export function fieldsOf(command: Command): ReadonlySet<string> {
  const fields =
    cache.get(command) ?? new Set([command.name, ...(command.aliases ?? []), ...COMMON, ...command.fields]);
  cache.set(command, fields);
  return fields;
}
