// Creates topics from the arguments of subscriptions and the rights of their callers. Types are defined in the table of event types.
import type { Caller } from '../base/callers/caller.js';
import { ownsNothing, requireOwner } from '../base/callers/rights.js';
import { badInput, catalogClosed, DomainError } from '../base/errors.js';
import type { TextFilter } from '../graphql/shapes/filters.js';
import { acceptedTexts } from '../graphql/shapes/given-operators.js';
import { ALL_CHANNEL, channelsOf, PUBLIC_CHANNEL, type Topic } from '../graphql/subscriptions/topic.js';
import type { Batches } from '../issuance/batches/batches.service.js';
import type { RevocationJobs } from '../issuance/revocations/jobs.service.js';
import type { StatusService } from '../issuance/status.service.js';
import type { EventFilter, StampedEvent } from '../store/event-port.js';
import { ALL_EVENT_TYPES, type EventGroup, type EventType, eventType, typesOf } from '../store/event-types.js';
import type { EventFeed } from './event-feed.service.js';
import type { EventLog } from './event-log.js';
import { topicOf } from './follow.js';
import type { IssuanceEventWhere, VerificationEventWhere } from './records.js';
import { fieldsOf } from './views.js';

export interface TopicsOptions {
  feed: EventFeed;
  log: EventLog;
  batches: Batches;
  revocationJobs: RevocationJobs;
  status: StatusService;
  /** Whether there is a live credential with this id. */
  isCredential(credentialId: string): Promise<boolean>;
  /** Whether the catalog is open; if it is closed, its events are closed as well (contract §2). */
  catalogEnabled: boolean;
}

/** Catalog and traction: changes within this time are sent as one event, milliseconds. */
const WINDOW_MS = 250;
/** The smallest EVENT_RETENTION_HOURS, in milliseconds. */
const LOG_KEEPS_MS = 3_600_000;
const CATALOG_KINDS = ['issuers', 'verifiers', 'schemas', 'credentials', 'programs'];

/** Creates topics from the arguments of subscriptions. */
export class EventTopics {
  constructor(private readonly options: TopicsOptions) {}

  /** A holder's own session events. @throws DomainError UNAUTHENTICATED, FORBIDDEN (partners), and the errors of `after`. */
  async sdkEvents(caller: Caller, after?: string | null): Promise<Topic> {
    if (caller.kind === 'partner') throw new DomainError('FORBIDDEN', 'Only holders may subscribe to these events.');
    return this.#own(caller, typesOf('session'), [], after);
  }

  /** The caller's own issuance events. @throws DomainError UNAUTHENTICATED, BAD_USER_INPUT (`where`), and as `after`. */
  async issuanceEvents(caller: Caller, where: IssuanceEventWhere = {}, after?: string | null): Promise<Topic> {
    const { type, ...fields } = where;
    const types = type ? chosenTypes('issuance', acceptedTexts('where.type', type), 'where.type') : null;
    return this.#own(caller, types ?? typesOf('issuance'), testsOf(fields), after);
  }

  /** A partner's own verification events. @throws DomainError UNAUTHENTICATED, FORBIDDEN (holders), BAD_USER_INPUT (`where`), and as `after`. */
  async verificationEvents(caller: Caller, where: VerificationEventWhere = {}, after?: string | null): Promise<Topic> {
    if (caller.kind === 'holder') throw new DomainError('FORBIDDEN', 'Only partners may subscribe to these events.');
    return this.#own(caller, typesOf('verification'), testsOf(where), after);
  }

  /** Compliance access keys that verifiers may have. @throws DomainError UNAUTHENTICATED, and as `after`. */
  async cakAuthorized(caller: Caller, after?: string | null): Promise<Topic> {
    return this.#own(caller, typesOf('cak'), [], after);
  }

  /** Offers to wallets. @throws DomainError UNAUTHENTICATED, and as `after`. */
  async offerEvents(caller: Caller, after?: string | null): Promise<Topic> {
    return this.#own(caller, typesOf('offer'), [], after);
  }

  /** A partner's endpoints that the gateway disabled. @throws DomainError UNAUTHENTICATED, FORBIDDEN (holders), and as `after`. */
  async webhookDisabled(caller: Caller, after?: string | null): Promise<Topic> {
    if (caller.kind === 'holder') throw new DomainError('FORBIDDEN', 'Only partners may subscribe to these events.');
    return this.#own(caller, typesOf('webhook'), [], after);
  }

  /** Changes of the public status of an issuance. Needs no credentials. @throws DomainError BAD_USER_INPUT, NOT_FOUND, and as `after`. */
  async credentialStatusChanged(coreClaimHash: string, after?: string | null): Promise<Topic> {
    if (!/^[0-9a-f]{64}$/.test(coreClaimHash))
      throw badInput('"coreClaimHash" must be 64 hex digits.', 'coreClaimHash');
    await this.options.status.byHash(coreClaimHash);
    return this.#topic(`status:${coreClaimHash}`, {
      after: await this.#place(after),
      toRoot: ([event]) => ({ ...this.#root(event), __typename: 'CredentialStatusChangedEvent' }),
    });
  }

  /** The progress of a batch: its last state at once, then updates until its end. @throws DomainError as `Batches.find`. */
  async batchProgress(caller: Caller, jobId: string): Promise<Topic> {
    const owner = requireOwner(caller, 'batch');
    const channel = `batch:${jobId}`;
    const { last, upTo } = await this.#lastOf(channel);
    const { state, finishedAt } = await this.options.batches.find(owner, jobId);
    const ended = state === 'finished' || state === 'cancelled';
    // If a batch continues after its end, that end is not reported again.
    const first = !ended && last?.type === 'batch_finished' ? undefined : last;
    const isForgotten = last === undefined && Date.now() - (finishedAt?.getTime() ?? 0) > LOG_KEEPS_MS;
    return this.#topic(channel, {
      after: first === undefined ? upTo : first.seq - 1,
      isLast: ({ type }) => type === 'batch_finished',
      hasEnded: ended && isForgotten,
      toRoot: ([event]) => this.#root(event),
    });
  }

  /** The progress of a revocation: its last state at once, then updates until its end. @throws DomainError as `RevocationJobs.find`. */
  async revocationProgress(caller: Caller, jobId: string): Promise<Topic> {
    const owner = requireOwner(caller, 'revocationJob');
    // The channel of jobs: ids of batches and of revocations are never the same.
    const channel = `batch:${jobId}`;
    const { last, upTo } = await this.#lastOf(channel);
    const { state, finishedAt } = await this.options.revocationJobs.find(owner, jobId);
    const isForgotten = last === undefined && Date.now() - (finishedAt?.getTime() ?? 0) > LOG_KEEPS_MS;
    return this.#topic(channel, {
      after: last === undefined ? upTo : last.seq - 1,
      isLast: ({ type }) => type === 'revocation_finished',
      hasEnded: state === 'finished' && isForgotten,
      toRoot: ([event]) => this.#root(event),
    });
  }

  /**
   * The last event of a job, and the position up to which it is the last. Call it before the job's state is read: an end that is
   * missing in either is then among the events after that position.
   */
  async #lastOf(channel: string): Promise<{ last: StampedEvent | undefined; upTo: number }> {
    const { feed, log } = this.options;
    await feed.ready;
    const upTo = feed.deliveredSeq;
    return { last: await log.newestOf(channel, upTo), upTo };
  }

  /** Changes of the catalog; for anyone. @throws DomainError CATALOG_DISABLED, BAD_USER_INPUT (`types`, `kinds`), and as `after`. */
  async catalogChanged(
    choice: { types?: readonly string[] | null; kinds?: readonly string[] | null },
    after?: string | null,
  ): Promise<Topic> {
    this.#requireCatalog();
    const types = chosenTypes('catalog', choice.types ?? null, 'types');
    const kinds = namesOf(CATALOG_KINDS, choice.kinds ?? null, 'kinds');
    return this.#topic('catalog', {
      ...onlyWhere(types ?? typesOf('catalog'), kinds === null ? [] : [{ field: 'kind', values: kinds }]),
      after: await this.#place(after),
      windowMs: WINDOW_MS,
      toRoot: (events) => catalogRoot(events, (event) => this.#root(event)),
    });
  }

  /** Counts of one credential; for anyone. @throws DomainError CATALOG_DISABLED, NOT_FOUND (`credentialId`). */
  async tractionChanged(credentialId: string): Promise<Topic> {
    this.#requireCatalog();
    if (!(await this.options.isCredential(credentialId)))
      throw new DomainError('NOT_FOUND', 'No credential has this credentialId.', { field: 'credentialId' });
    return this.#topic(`traction:${credentialId}`, {
      windowMs: WINDOW_MS,
      slow: 'newest',
      toRoot: (events) => ({ ...this.#root(events.at(-1)), credentialId }),
    });
  }

  /**
   * The events of REST: the caller's own, and public ones that `types` names.
   * @throws DomainError UNAUTHENTICATED, BAD_USER_INPUT (`types`), CATALOG_DISABLED, and as `after`.
   */
  async viewable(
    caller: Caller,
    names?: readonly string[],
    after?: string,
  ): Promise<Pick<Topic, 'matches' | 'filter' | 'after'>> {
    const own = viewerChannel(caller);
    const types = namesOf(ALL_EVENT_TYPES, names ?? null, 'types');
    const isPublic = types?.some((type) => eventType(type).viewers === 'public') ?? false;
    if (isPublic) this.#requireCatalog();
    const place = await this.#place(after);
    const { matches, filter } = onlyWhere(types ?? ALL_EVENT_TYPES);
    const channels = isPublic ? [own, PUBLIC_CHANNEL] : [own];
    return {
      matches: (event) => matches(event) && channelsOf(event).some((channel) => channels.includes(channel)),
      filter: { ...(types === null ? {} : filter), ...(own === ALL_CHANNEL ? {} : { channels }) },
      ...(place === undefined ? {} : { after: place }),
    };
  }

  #requireCatalog(): void {
    if (!this.options.catalogEnabled) throw catalogClosed();
  }

  async #own(
    caller: Caller,
    types: readonly EventType[],
    tests: readonly PayloadTest[],
    after: string | null | undefined,
  ): Promise<Topic> {
    return this.#topic(viewerChannel(caller), {
      ...onlyWhere(types, tests),
      after: await this.#place(after),
      toRoot: ([event]) => this.#root(event),
    });
  }

  async #place(after: string | null | undefined): Promise<number | undefined> {
    return after === undefined || after === null ? undefined : this.options.feed.seqOf(after);
  }

  #topic(channel: string, choice: Pick<Topic, 'toRoot'> & Partial<Topic>): Topic {
    const { matches = () => true, filter = {}, slow = 'close', after, windowMs, isLast, hasEnded, toRoot } = choice;
    return topicOf(this.options.feed, {
      channel,
      matches,
      filter: { ...filter, ...(channel === ALL_CHANNEL ? {} : { channels: channel }) },
      ...(after === undefined ? {} : { after }),
      slow,
      ...(windowMs === undefined ? {} : { windowMs }),
      isLast,
      hasEnded,
      toRoot,
    });
  }

  /** An event as GraphQL's root value. */
  #root(event: StampedEvent | undefined): EventRoot {
    if (event === undefined) throw new Error('a root value is of one event at least');
    const { type, at } = event;
    const { graphql: __typename } = eventType(type);
    return { __typename, id: this.options.feed.idOf(event.seq), type, at, ...fieldsOf(event) };
  }
}

interface EventRoot extends Record<string, unknown> {
  __typename: string;
  id: string;
  type: string;
  at: Date;
}

/** A field of the payload, and the values that it may have. */
interface PayloadTest {
  field: string;
  values: readonly string[];
}

/** The tests of a `where`. @throws DomainError BAD_USER_INPUT. */
function testsOf(where: Readonly<Record<string, TextFilter | null | undefined>>): PayloadTest[] {
  return Object.entries(where).flatMap(([field, filter]): PayloadTest[] => {
    return filter ? [{ field, values: acceptedTexts(`where.${field}`, filter) }] : [];
  });
}

/** The channel of a caller's own events; the operator's has all events. @throws DomainError UNAUTHENTICATED. */
export function viewerChannel(caller: Caller): string {
  if (caller.kind === 'operator') return ALL_CHANNEL;
  if (caller.kind === 'partner') return `partner:${caller.partnerId}`;
  if (caller.kind === 'holder') return `holder:${caller.holderId}`;
  throw ownsNothing(caller, 'a partner token, a session token or the operator key');
}

/** One filter in two forms: for events in memory, and for the log. */
export function onlyWhere(
  types: readonly EventType[],
  tests: readonly PayloadTest[] = [],
): { matches(event: StampedEvent): boolean; filter: EventFilter } {
  const included = new Set<EventType>(types);
  const fields = Object.fromEntries(tests.map(({ field, values }) => [`payload.${field}`, { $in: [...values] }]));
  return {
    matches: ({ type, payload }) =>
      included.has(type) && tests.every(({ field, values }) => values.includes(String(payload[field]))),
    filter: { type: { $in: [...included] }, ...fields },
  };
}

/** The given types; null: all of the group. @throws DomainError BAD_USER_INPUT for a type that is not in the group. */
export function chosenTypes(group: EventGroup, types: readonly string[] | null, field: string): EventType[] | null {
  return namesOf(typesOf(group), types, field);
}

function namesOf<T extends string>(all: readonly T[], names: readonly string[] | null, field: string): T[] | null {
  if (names === null) return null;
  if (names.length === 0) throw badInput(`"${field}" must name at least one of ${all.join(', ')}.`, field);
  return names.map((name) => {
    const match = all.find((one) => one === name);
    if (match !== undefined) return match;
    throw badInput(`"${field}" must be one of ${all.join(', ')}; ${JSON.stringify(name).slice(0, 100)} is not.`, field);
  });
}

/** Events that are sent as one: the id of the newest, the changes of all. */
function catalogRoot(events: readonly StampedEvent[], root: (event: StampedEvent | undefined) => EventRoot): object {
  const types = new Set(events.map(({ type }) => type));
  const changes = events.flatMap(({ type, payload: { kind, ids } }) =>
    (Array.isArray(ids) ? ids : []).map((entryId) => ({ type, kind, entryId })),
  );
  const { __typename, id, type, at } = root(events.at(-1));
  return { __typename, id, type: types.size === 1 ? type : 'catalog_changed', at, changes };
}
