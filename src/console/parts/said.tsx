// The result of an action, and what went wrong.
import type { ComponentChildren } from 'preact';
import type { Fault } from '../api/fault.js';
import { Text } from './text.js';

/** One sentence about the last action. A failure is shown as an alert. */
export function Said({ fault, children }: { fault: Fault | undefined; children?: ComponentChildren }) {
  return fault ? <FaultSaid fault={fault} /> : <p role="status">{children}</p>;
}

export function FaultSaid({ fault: { sentence }, children }: { fault: Fault; children?: ComponentChildren }) {
  return (
    <p role="alert" class="fault">
      <Text text={sentence} limit={500} /> {children}
    </p>
  );
}
