// Ends of leases, by the database's clock.

/**
 * Expression of whether a lease is over: its end has passed, or is more than two terms ahead, because the database's
 * clock was set back. An end up to two terms ahead is valid, because `$$NOW` is the time at which a command began:
 * while the command waited for another write, the lease may have been renewed. Therefore a command may wait for up to
 * one term, and after the clock was set back, the lease of a dead process may last for two.
 * @param end expression of when the lease ends, such as `$expiresAt`; without an end, the lease is over.
 * @param ms how long a lease lasts.
 */
export const isOver = (end: unknown, ms: number) => ({
  $or: [{ $lte: [{ $ifNull: [end, new Date(0)] }, '$$NOW'] }, { $gt: [end, { $add: ['$$NOW', 2 * ms] }] }],
});
