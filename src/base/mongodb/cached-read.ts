// Options for reading rows that are then cached.

/**
 * Options of reads whose results are cached. A write that has not reached a majority may be rolled back in a failover,
 * without a change event, and the cached row would stay.
 */
export const CACHED_READ = { readConcern: { level: 'majority' } } as const;
