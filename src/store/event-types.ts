// Every type of event in one table: its viewers, its payload, its GraphQL and REST forms. The log, topics, GraphQL and REST derive from it
// (contract §9 and the client SDK's "Events").

/** Groups of event types, with one subscription field each. */
export type EventGroup =
  | 'session'
  | 'issuance'
  | 'batch'
  | 'catalog'
  | 'traction'
  | 'verification'
  | 'cak'
  | 'revocation'
  | 'webhook'
  | 'offer';

interface EventTypeRow {
  group: EventGroup;
  /** `own`: the partner and the holder that the row names; `public`: everyone. */
  viewers: 'own' | 'public';
  /** The payload fields that clients see; all others stay inside. */
  fields: readonly string[];
  /** Where the fields are: under `result` in events of the client SDK, beside the type in the network's own events. */
  shape: 'result' | 'flat';
  /** GraphQL type of the event. */
  graphql: string;
  /** Whether it changes the public status of an issuance. */
  status?: true;
}

const ISSUANCE = ['coreClaimHash', 'credentialId', 'issuerId', 'schemaId', 'storagePath', 'holderDid'];
const BATCH = ['jobId', 'state', 'dryRun', 'total', 'done', 'failed'];

const session = (graphql: string, fields: readonly string[] = [], shape: 'result' | 'flat' = 'result') =>
  ({ group: 'session', viewers: 'own', fields, shape, graphql }) as const;
const issuance = {
  group: 'issuance',
  viewers: 'own',
  fields: ISSUANCE,
  shape: 'flat',
  graphql: 'IssuanceEvent',
} as const;
const batch = { group: 'batch', viewers: 'own', fields: BATCH, shape: 'flat', graphql: 'BatchEvent' } as const;
const revocation = {
  group: 'revocation',
  viewers: 'own',
  fields: ['jobId', 'state', 'total', 'done', 'revoked'],
  shape: 'flat',
  graphql: 'RevocationEvent',
} as const;
const verification = {
  group: 'verification',
  viewers: 'own',
  fields: ['verificationId', 'programId', 'status', 'reason'],
  shape: 'flat',
  graphql: 'VerificationEvent',
} as const;
const offer = {
  group: 'offer',
  viewers: 'own',
  fields: ['offerId', 'credentialId', 'reason', 'coreClaimHash', 'event'],
  shape: 'flat',
  graphql: 'OfferEvent',
} as const;
const catalog = {
  group: 'catalog',
  viewers: 'public',
  fields: ['kind', 'ids'],
  shape: 'flat',
  graphql: 'CatalogChangedEvent',
} as const;

/** The one table: type -> viewers, payload, GraphQL type, REST shape. */
export const EVENT_TYPES = {
  initialized: session('InitializedEvent', ['rehydrated']),
  logged_in: session('LoggedInEvent', ['isLoggedIn', 'id', 'abstractAccountAddress', 'isMFASetup']),
  wallet_initialized: session('WalletInitializedEvent', ['abstractAccountAddress', 'isMFASetup']),
  core_id_minting_started: session('CoreIdMintingStartedEvent'),
  core_id_minted: session('CoreIdMintedEvent', ['id', 'name', 'node', 'status', 'chainId', 'imageUrl']),
  core_id_minting_failed: session('CoreIdMintingFailedEvent', ['errorMessage'], 'flat'),
  logged_out: session('LoggedOutEvent'),
  submitted: { ...issuance, status: true },
  stored: issuance,
  anchored: { ...issuance, status: true },
  revoked: { ...issuance, status: true },
  expired: { ...issuance, status: true },
  removed: { ...issuance, status: true },
  batch_progress: batch,
  batch_finished: batch,
  revocation_progress: revocation,
  revocation_finished: revocation,
  verification_started: verification,
  verification_proved: verification,
  verification_closed: verification,
  verification_lapsed: verification,
  cak_authorized: {
    group: 'cak',
    viewers: 'own',
    fields: ['userId', 'verifierDid', 'schemaId'],
    shape: 'flat',
    graphql: 'CakAuthorizedEvent',
  },
  webhook_disabled: {
    group: 'webhook',
    viewers: 'own',
    fields: ['webhookId', 'reason'],
    shape: 'flat',
    graphql: 'WebhookDisabledEvent',
  },
  offer_created: offer,
  offer_closed: offer,
  wallet_notified: offer,
  catalog_entry_added: catalog,
  catalog_entry_changed: catalog,
  catalog_entry_retired: catalog,
  traction_changed: {
    group: 'traction',
    viewers: 'public',
    fields: ['credentialIds'],
    shape: 'flat',
    graphql: 'TractionChangedEvent',
  },
} as const satisfies Record<string, EventTypeRow>;

/** Every event type, as clients see it. */
export type EventType = keyof typeof EVENT_TYPES;

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as readonly EventType[];

/** The table's row of a type. */
export const eventType = (type: EventType): EventTypeRow => EVENT_TYPES[type];

/** Whether everyone may see events of this type; false for a name that is no type. */
export const isPublicType = (name: string): boolean =>
  Object.hasOwn(EVENT_TYPES, name) && eventType(name as EventType).viewers === 'public';

/** The types of one group. */
export function typesOf(group: EventGroup): EventType[] {
  return ALL_EVENT_TYPES.filter((type) => EVENT_TYPES[type].group === group);
}
