// Events as every domain knows them: what it appends inside the transaction of a fact, and what readers of the log get.
import type { ClientSession, Types } from 'mongoose';
import type { EventType } from './event-types.js';

/** Who may see an event; `public` events are for everyone. */
export interface Viewers {
  partnerId?: string;
  holderId?: string;
  public?: boolean;
}

/** What a payload may hold: ids, states, counts. */
export type PayloadValue = string | number | boolean | null | readonly string[];

/** What an event says: ids and states, never a plaintext. */
export interface NewEvent {
  type: EventType;
  viewers: Viewers;
  payload: Readonly<Record<string, PayloadValue>>;
}

export interface EventRow {
  _id: Types.ObjectId;
  /** Dense, in commit order; absent until the sequencer has stamped it. */
  seq?: number;
  /** True until stamped, then absent: a sparse index finds what waits. */
  pending?: true;
  type: EventType;
  at: Date;
  viewers: Viewers;
  /** What carries it to listeners. */
  channels: string[];
  payload: Record<string, PayloadValue>;
  /** Set with `seq`, never earlier than that of an earlier place: the log keeps what nobody has counted yet, and loses its oldest first. */
  expireAt?: Date;
}

/** A row that has its place, as readers get it. */
export type StampedEvent = EventRow & { seq: number };

/** Appends events in the caller's transaction: they exist when, and only when, it commits. */
export type AppendEvents = (events: readonly NewEvent[], session: ClientSession) => Promise<void>;

/** A choice of events as a filter over the log. Of several channels each is read by itself: an index has each in order, not all. */
export type EventFilter = Readonly<Record<string, unknown>> & { readonly channels?: string | readonly string[] };
