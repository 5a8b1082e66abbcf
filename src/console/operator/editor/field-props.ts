// What a field of an entry's form gets.
import type { FieldForm } from './forms.js';

export interface EntryFieldProps {
  field: FieldForm;
  /** What was typed, or the entry's value. */
  value: unknown;
  set(value: unknown): void;
  fault: { field: string; sentence: string } | undefined;
  isDisabled: boolean;
}
