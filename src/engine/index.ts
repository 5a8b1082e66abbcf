// The embedded engine: started in a worker thread (startEngine) or in this thread (serveEngine).
export {
  type BackupReport,
  type CollectionBytes,
  type CollectionReport,
  type CompactReport,
  type DumpReport,
  engineBackup,
  engineCheck,
  engineCompact,
  engineDump,
  engineRestore,
  engineStats,
  type StatsReport,
} from './maintenance/index.js';
export { engineAt, type RunningEngine, type ServeOptions, serveEngine } from './server.js';
export { checkFolder } from './store/env.js';
export { DataFolderError, type FolderFault } from './store/folder-error.js';
export { startEngine } from './thread.js';
