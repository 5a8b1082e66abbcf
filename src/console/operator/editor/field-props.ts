// The properties of a field of an entry's form.
import type { FieldForm } from './forms.js';

export interface EntryFieldProps {
  field: FieldForm;
  /** What was typed; the entry's value if nothing was typed. */
  value: unknown;
  set(value: unknown): void;
  fault: { field: string; sentence: string } | undefined;
  isDisabled: boolean;
}
