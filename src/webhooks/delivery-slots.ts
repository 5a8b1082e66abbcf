// How many deliveries of a process run at the same time.
import { Slots } from '../base/concurrency/slots.js';

/** Concurrent deliveries of a process: to healthy endpoints, and to those whose last attempt failed or was slow. */
const HEALTHY_SLOTS = 192;
const FAILING_SLOTS = 64;
/** Slots for failing endpoints of one partner: such a call may last 15 seconds, and those of others must not wait for it. */
const FAILING_SLOTS_OF_PARTNER = 16;

/** Slots of a process: for healthy endpoints, and for those whose last attempt failed or was slow. */
export interface DeliverySlots {
  healthy: Slots;
  failing: Slots;
}

/** The slots of one process. */
export const deliverySlots = (): DeliverySlots => ({
  healthy: new Slots(HEALTHY_SLOTS),
  failing: new Slots(FAILING_SLOTS, FAILING_SLOTS_OF_PARTNER),
});
