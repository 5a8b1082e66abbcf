// The port by which events leave a domain: rows written inside the transaction of the fact (design: "One way only").
import type { ClientSession } from 'mongoose';
import type { NewEvent } from '../events/models.js';

/** Appends events in the caller's transaction: they exist when, and only when, it commits. */
export type AppendEvents = (events: readonly NewEvent[], session: ClientSession) => Promise<void>;
