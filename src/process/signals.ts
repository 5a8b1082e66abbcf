// The signals at which processes stop in order.

/** Sent by orchestrators, by Ctrl-C, and by a terminal that closes. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
