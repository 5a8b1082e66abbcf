// Ends of leases, by the database's clock.

/**
 * Expression of whether a lease is over. One that ends far later than possible was taken before that clock was set back, and is over too. Not one
 * that ends a little later: a command keeps the time of its begin while it waits for another write, and may then meet a lease that was taken
 * after that time. So a command may wait for as long as a lease lasts, and after a clock was set back a dead owner's lease may last twice as long.
 * @param end expression of when the lease ends, such as `$expiresAt`; a missing end is over.
 * @param ms how long a lease lasts.
 */
export const isOver = (end: unknown, ms: number) => ({
  $or: [{ $lte: [{ $ifNull: [end, new Date(0)] }, '$$NOW'] }, { $gt: [end, { $add: ['$$NOW', 2 * ms] }] }],
});
