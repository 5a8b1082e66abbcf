// The concerns of writes and transactions that no failover may roll back.

/** A write that is confirmed by a majority of the members. */
export const MAJORITY = { writeConcern: { w: 'majority' } } as const;

/** A transaction whose reads see one snapshot. */
export const SNAPSHOT = { readConcern: { level: 'snapshot' }, ...MAJORITY } as const;
