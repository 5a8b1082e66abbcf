// The state of an entry's form: the entry it was opened with, what was typed, and the result of saving.
import { useState } from 'preact/hooks';
import { useDraft } from '../../api/drafts.js';
import type { Fault } from '../../api/fault.js';
import { type Action, useAction } from '../../api/use-action.js';
import { bodyOf } from './body.js';
import { type EntryValues, FORMS, type FormKind } from './forms.js';
import { FieldFault, withTyped } from './typed.js';

/** An entry. Without an etag, it has not been saved yet. */
export type FormEntry = EntryValues & { etag?: string };

export interface EntryFormState {
  base: FormEntry;
  /** The entry as the form shows it. Typed texts may not be valid values yet. */
  shown: EntryValues;
  type(members: EntryValues): void;
  /** The typed values; undefined if one is not valid, which the form then shows. */
  read(): EntryValues | undefined;
  /** Saves values over the version with this etag; without one, as a new record. */
  save(values: EntryValues, etag: string | undefined, further?: EntryValues): Promise<void>;
  /** The values that were last sent. */
  attempt: EntryValues;
  /** Starts again with this entry. */
  open(entry: FormEntry): void;
  action: Action<object, { input: Record<string, unknown> }>;
  faultAt(name: string): { field: string; sentence: string } | undefined;
}

/** @param saved is called after each write */
export function useEntryForm(kind: FormKind, id: string, entry: FormEntry, saved: () => void): EntryFormState {
  const { idName, put, fields } = FORMS[kind];
  const draft = useDraft<{ base: FormEntry; typed: EntryValues }>('entry', { base: entry, typed: {} });
  const { base, typed } = draft.value;
  const [attempt, setAttempt] = useState<EntryValues>({});
  const [wrong, setWrong] = useState<FieldFault>();
  const action = useAction(put);
  const shown = { ...base, ...typed };
  const open = (next: FormEntry): void => {
    draft.reset({ base: next, typed: {} });
    action.reset();
  };
  return {
    base,
    shown,
    attempt,
    action,
    open,
    type(members) {
      draft.keep({ base, typed: { ...typed, ...members } });
      setWrong(undefined);
    },
    read() {
      try {
        return withTyped(base, typed, fields(shown));
      } catch (error) {
        if (!(error instanceof FieldFault)) throw error;
        setWrong(error);
        return undefined;
      }
    },
    async save(values, etag, further = {}) {
      setAttempt(values);
      const precondition = etag ? { ifMatch: etag } : { ifNoneMatch: '*' };
      const done = await action.run({ input: { ...bodyOf(kind, values), ...further, ...precondition, [idName]: id } });
      if (done === undefined) return;
      const [{ etag: next = '' } = {}] = Object.values(done) as { etag?: string }[];
      draft.reset({ base: { ...values, apiKey: undefined, etag: next }, typed: {} });
      saved();
    },
    faultAt: (name) => faultAt(name, wrong, action.fault),
  };
}

/** What is wrong with a member or with a part of it, as the form or the gateway has found. */
function faultAt(name: string, wrong: FieldFault | undefined, fault: Fault | undefined) {
  if (wrong?.field === name) return { field: name, sentence: wrong.message };
  const field = fault?.field;
  return fault && field?.split(/[.[]/, 1)[0] === name ? { field, sentence: fault.sentence } : undefined;
}
