// The concerns of writes and transactions that no failover may take back.

/** A write that a majority of the members has. */
export const MAJORITY = { writeConcern: { w: 'majority' } } as const;

/** A transaction whose reads are of one moment. */
export const SNAPSHOT = { readConcern: { level: 'snapshot' }, ...MAJORITY } as const;
