// Rows that are not counted yet, during a recount in pieces while new rows arrive.
import type { Document } from 'mongodb';
import type { StampedEvent } from '../store/event-port.js';
import { COUNTED_TYPES } from './counted-events.js';
import type { EventModels } from './models.js';

/** Events that one command reads. */
const BATCH = 1_000;
const FIELDS = { seq: 1, type: 1, payload: 1, 'viewers.holderId': 1 } as const;

/** The rows whose events are numbered after `countedUpTo`, or have no number yet. Nothing may be counted meanwhile. */
export class Uncounted {
  readonly #ids = new Set<string>();

  constructor(
    private readonly models: Pick<EventModels, 'events'>,
    private countedUpTo: number,
  ) {}

  /**
   * Ids of those rows: core claim hashes, first holdings, verifications. All that were read before this was called are among them, because an
   * event is committed together with its row.
   */
  ids = async (): Promise<ReadonlySet<string>> => {
    // Pending events are read first: an event that gets its number in between is then among the numbered ones.
    const pending = this.models.events.collection.find<StampedEvent>(
      { pending: true },
      { projection: FIELDS, batchSize: BATCH },
    );
    for await (const event of pending) this.#add(event);
    while ((await this.#addNumbered()) === BATCH);
    return this.#ids;
  };

  async #addNumbered(): Promise<number> {
    const later: Document = { seq: { $gt: this.countedUpTo } };
    const options = { projection: FIELDS, sort: { seq: 1 }, limit: BATCH, batchSize: BATCH + 1 } as const;
    const events = await this.models.events.collection.find<StampedEvent>(later, options).toArray();
    for (const event of events) this.#add(event);
    this.countedUpTo = events.at(-1)?.seq ?? this.countedUpTo;
    return events.length;
  }

  #add({ type, payload, viewers }: StampedEvent): void {
    if (!COUNTED.has(type)) return;
    if (type === 'verification_closed') this.#ids.add(String(payload.verificationId));
    else this.#ids.add(String(payload.coreClaimHash));
    if (payload.firstOfCredential === true) this.#ids.add(`credential ${payload.credentialId} ${viewers.holderId}`);
  }
}

const COUNTED: ReadonlySet<string> = new Set(COUNTED_TYPES);
