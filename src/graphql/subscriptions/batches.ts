// Decides which events are delivered as one: those within a time window, up to the number of entries that one execution
// may have.
import type { StampedEvent } from '../../store/event-port.js';
import type { Topic } from './topic.js';

/** Entries of one delivery: the operation runs for each of them. */
const MAX_ENTRIES = 100;

const entriesOf = ({ payload: { ids } }: StampedEvent): number => (Array.isArray(ids) ? ids.length : 0);

/** Removes from the queue the events that are delivered as one: at least one event. */
export function removeBatch({ windowMs }: Topic, queue: StampedEvent[]): StampedEvent[] {
  if (windowMs === undefined) return queue.splice(0, 1);
  let entries = 0;
  const beyond = queue.findIndex((event, index) => {
    entries += entriesOf(event);
    return index > 0 && entries > MAX_ENTRIES;
  });
  return queue.splice(0, beyond < 0 ? queue.length : beyond);
}

/** Events of the log, grouped as a live subscriber would have received them. */
export function asTheyArrived(events: readonly StampedEvent[], topic: Topic): StampedEvent[][] {
  return windowsOf(events, topic.windowMs ?? 0).flatMap((window) => {
    const batches: StampedEvent[][] = [];
    while (window.length > 0) batches.push(removeBatch(topic, window));
    return batches;
  });
}

function windowsOf(events: readonly StampedEvent[], windowMs: number): StampedEvent[][] {
  const windows: StampedEvent[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    const at = event.at.getTime();
    if (at < until) windows.at(-1)?.push(event);
    else {
      windows.push([event]);
      until = at + windowMs;
    }
  }
  return windows;
}
