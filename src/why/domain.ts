// The parts of the domain that explains what partners may do.
import type { Core } from '../compose/domain.js';
import { whyOperations } from './operations.js';
import { Why, type WhyOptions } from './why.js';

export interface WhyServices {
  why: Why;
}

export const whyDomain = {
  models: () => ({}),
  services: (_core: Core, options: WhyOptions): WhyServices => ({ why: new Why(options) }),
  operations: whyOperations,
} as const;
