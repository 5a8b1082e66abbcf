// The parts of a gateway, and what can be wrong with each: one table, from which health, metrics, alerts, the operator's API, the console
// and `doctor` are made. docs/runbook.md has a section for each part and each sentence.

/** `warn`: it works, but needs somebody soon. `bad`: something does not work now. */
export type ProblemState = 'warn' | 'bad';

/** The parts, in the order in which operators see them. Labels of the metric `gateway_problem`. */
export const PART_NAMES = [
  'store',
  'disk',
  'leases',
  'events',
  'clock',
  'heap',
  'descriptors',
  'search',
  'mail',
  'chain',
  'proofs',
  'certificates',
  'key-sets',
  'mirrors',
  'webhooks',
  'batches',
  'traces',
] as const;
export type PartName = (typeof PART_NAMES)[number];

interface KindRow {
  part: PartName;
  state: ProblemState;
  /** Public, one sentence: no address, no name of a partner or holder, no number. What was found is said after it. */
  sentence: string;
  /** What the operator does, one sentence. The cause may have one that is more precise. */
  todo: string;
}

const warn = (part: PartName, sentence: string, todo: string): KindRow => ({ part, state: 'warn', sentence, todo });
const bad = (part: PartName, sentence: string, todo: string): KindRow => ({ part, state: 'bad', sentence, todo });

/** The one table: kind -> part, state, sentence, what to do. */
export const PROBLEMS = {
  'store-away': bad(
    'store',
    'The store does not respond.',
    'Start the store, or correct the way to it: doctor says what is wrong.',
  ),
  'disk-full': bad(
    'disk',
    'The disk of the store is full: it accepts no writes; reads continue.',
    'Make room on the disk of the store.',
  ),
  'lease-lost': bad(
    'leases',
    'The lease of this process cannot be renewed, so it does no background work.',
    'Look at the primary of the store: writes fail or take seconds.',
  ),
  'event-log-stands': bad(
    'events',
    'The event log makes no progress: an event has waited for its number for over 10 s, so events, counts and expiry lag.',
    'Read the log of the gateways for the sequencer; restart the gateway that has it.',
  ),
  'clock-drifts': warn(
    'clock',
    'The clocks of this machine and of the store differ.',
    'Synchronise both with a time server (NTP).',
  ),
  'clock-apart': bad(
    'clock',
    'The clocks of this machine and of the store are apart, so tokens may be refused.',
    'Synchronise both with a time server (NTP).',
  ),
  'heap-small': warn(
    'heap',
    'The heap of this process is almost full; at its end the process ends.',
    'Give it more memory (--max-old-space-size), or lower ENTITY_CACHE_MB and the other caches.',
  ),
  'descriptors-used': bad(
    'descriptors',
    'This process takes no more connections: it has as many as its limit of descriptors allows.',
    'Raise the limit (ulimit -n, LimitNOFILE in systemd) and restart, or find out who opens the connections.',
  ),
  'search-stopped': bad(
    'search',
    'The search index does not work, so searches are refused.',
    'Read the log of this process and restart it; if its memory is small, give it more.',
  ),
  'mail-not-taken': bad(
    'mail',
    'Mails cannot be sent: login codes do not arrive.',
    'Check SMTP_URL and the mail server: doctor tries it.',
  ),
  'chain-away': bad(
    'chain',
    'The chain cannot be used: jobs for it wait.',
    'Correct CHAIN_RPC_URL or CHAIN_ID, or wait for the node.',
  ),
  'chain-no-devnet': warn(
    'chain',
    'anvil is not installed here, so there is no devnet: claims wait for a chain.',
    'Run: npm ci, with optional packages.',
  ),
  'chain-devnet-anew': warn(
    'chain',
    "The devnet's state could not be loaded: the chain began anew.",
    'Run: npm run cli -- chain reset. Every transaction is sent again.',
  ),
  'chain-no-contracts': bad(
    'chain',
    'The contracts are not on the chain yet: run "cli chain deploy".',
    'Run: npm run cli -- chain deploy',
  ),
  'chain-no-money': bad(
    'chain',
    'The relayer has too little money for its next transaction: send some to its address.',
    "Send money to the relayer's address, which doctor names.",
  ),
  'chain-key-used': bad(
    'chain',
    `The relayer's key was used by somebody else: nothing is sent to the chain until "cli chain resume" is run.`,
    'End the other use of the key, then run: npm run cli -- chain resume',
  ),
  'chain-blocks-gone': warn(
    'chain',
    'Confirmed blocks are gone from the chain: the transactions in them are sent again.',
    'Check that CHAIN_RPC_URL leads to the same chain as before; a chain that began anew needs: npm run cli -- chain deploy',
  ),
  'chain-jobs-wait': warn(
    'chain',
    'A job for the chain has waited for more than half an hour.',
    'See: npm run cli -- chain jobs, which says why; the node may be away, or the price of gas above the limit.',
  ),
  'chain-jobs-failed': warn(
    'chain',
    'Jobs for the chain have failed.',
    'See: npm run cli -- chain jobs --failed; retry them when their reasons are mended.',
  ),
  'proofs-no-worker': bad(
    'proofs',
    'Proofs and signatures cannot be made: their worker does not start.',
    'Read the cause in the log; run npm ci again, or give the process more memory.',
  ),
  'certificate-ends': warn(
    'certificates',
    'A certificate of a signing key ends within 30 days.',
    'Have a new CSR signed: docs/certificates.md. doctor names its owner.',
  ),
  'certificate-ended': bad(
    'certificates',
    'A certificate of a signing key has ended: what it is needed for is refused.',
    'Have a new CSR signed: docs/certificates.md. doctor names its owner.',
  ),
  'key-set-refused': bad(
    'key-sets',
    "A partner's published key set cannot be used: tokens of keys that are only in it are refused.",
    'Inform the partner whom doctor names, with the reason.',
  ),
  'key-set-stale': warn(
    'key-sets',
    "A partner's key set cannot be fetched: the last good one is used until it is older than KEY_SET_STALE_MINUTES.",
    'Inform the partner whom the log names: its key set must be reachable.',
  ),
  'mirror-stopped': bad(
    'mirrors',
    'The mirror of another network cannot be read now; it is tried again by itself.',
    'See GET /v1/admin/mirrors, or the mirrors in the console, which say which one and why.',
  ),
  'webhooks-lost': warn(
    'webhooks',
    'Events expired before they were delivered to webhooks; receivers find the later ones in GET /v1/events.',
    'Inform partners with webhooks; raise EVENT_RETENTION_HOURS if gateways are down for long.',
  ),
  'batch-stands': bad(
    'batches',
    'A batch makes no progress: no process has taken it for ten minutes.',
    'See: npm run cli -- batch list --running. Start a gateway, or restart the one whose log has the errors.',
  ),
  'traces-not-sent': warn(
    'traces',
    'Traces cannot be sent to OTEL_EXPORTER_OTLP_ENDPOINT.',
    'Correct the address, or start the collector.',
  ),
} as const satisfies Record<string, KindRow>;
export type ProblemKind = keyof typeof PROBLEMS;

/** Whether a text, for example from the store, is a kind that this version knows. */
export const isProblemKind = (text: string): text is ProblemKind => Object.hasOwn(PROBLEMS, text);
