// Care of data folders that no process serves: check, compact, dump, restore.
export { type CollectionReport, engineCheck } from './check.js';
export { type CompactReport, engineCompact } from './compact.js';
export { type DumpReport, engineDump, engineRestore } from './dump.js';
