// How many deliveries of a process run at the same time.
import { Limit } from '../base/concurrency/limit.js';

/** Concurrent deliveries of a process: to healthy endpoints, and to those whose last attempt failed or was slow. */
const HEALTHY_SLOTS = 192;
const FAILING_SLOTS = 64;
/** Slots for failing endpoints of one partner: a call to one may last 15 seconds, and other partners must not wait for it. */
const FAILING_SLOTS_OF_PARTNER = 16;

/** Slots of a process: for healthy endpoints, and for those whose last attempt failed or was slow. */
export interface DeliverySlots {
  healthy: Limit;
  failing: Limit;
}

/** The slots of one process. */
export const deliverySlots = (): DeliverySlots => ({
  healthy: new Limit({ atOnce: HEALTHY_SLOTS }),
  failing: new Limit({ atOnce: FAILING_SLOTS, perKey: FAILING_SLOTS_OF_PARTNER }),
});
