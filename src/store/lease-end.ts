// Ends of leases, by the database's clock.

/**
 * Expression of whether a lease is over: its end has passed, or is more than two terms ahead, because the database's clock was set back. An end
 * up to two terms ahead is valid: `$$NOW` is when a command began, and while it waited for another write, the lease may have been renewed. So a
 * command may wait for one term, and after the clock was set back, the lease of a dead process may last two.
 * @param end expression of when the lease ends, such as `$expiresAt`; a missing end is over.
 * @param ms how long a lease lasts.
 */
export const isOver = (end: unknown, ms: number) => ({
  $or: [{ $lte: [{ $ifNull: [end, new Date(0)] }, '$$NOW'] }, { $gt: [end, { $add: ['$$NOW', 2 * ms] }] }],
});
