// The form of a catalog entry. It overwrites only the version that it was opened with; after a refusal, what was typed stays.
import { ImpactDocument, type PutSchemaInput } from '../../api/generated/graphql.js';
import { useQuestion } from '../../api/use-question.js';
import { Said } from '../../parts/said.js';
import { bodyOf } from './body.js';
import { Conflict } from './conflict.js';
import { EntryField } from './entry-field.js';
import { type EntryValues, FORMS, type FormKind, recordPath } from './forms.js';
import { ImpactView } from './impact.js';
import { readExactly } from './typed.js';
import { type EntryFormState, type FormEntry, useEntryForm } from './use-entry-form.js';

interface EntryFormProps {
  kind: FormKind;
  id: string;
  entry: FormEntry;
  isAll: boolean;
  saved(): void;
}

export function EntryForm({ kind, id, entry, isAll, saved }: EntryFormProps) {
  const impact = useQuestion(ImpactDocument);
  const form = useEntryForm(kind, id, entry, () => {
    impact.reset();
    saved();
  });
  const { base, shown, action } = form;
  const type = (members: EntryValues): void => {
    form.type(members);
    impact.reset();
  };
  // Before a new version is written, the form shows what it would break.
  const isImpactAsked = kind === 'schemas' && base.etag !== undefined && !impact.data;
  const submit = (event: Event): void => {
    event.preventDefault();
    const values = form.read();
    if (values === undefined) return;
    if (isImpactAsked) void impact.ask({ input: { ...bodyOf(kind, values), schemaId: id } as PutSchemaInput });
    else void form.save(values, base.etag);
  };
  return (
    <form onSubmit={submit}>
      {kind === 'schemas' && <DocumentSwitch entry={shown} type={type} />}
      {FORMS[kind].fields(shown).map((field) => (
        <EntryField
          key={field.name}
          field={field}
          value={shown[field.name]}
          set={(value) => type({ [field.name]: value })}
          fault={form.faultAt(field.name)}
          isDisabled={field.isForAll === true && !isAll}
        />
      ))}
      {impact.data && <ImpactView impact={impact.data.schemaImpact} />}
      <p class="actions">
        <button type="submit" class="main" disabled={action.isRunning || impact.isRunning}>
          {isImpactAsked ? 'See what this would break' : 'Save'}
        </button>
      </p>
      <Outcome form={form} kind={kind} id={id} />
      <Said fault={impact.fault} />
    </form>
  );
}

/** The result of saving, and how to continue after a refusal. */
function Outcome({ form, kind, id }: { form: EntryFormState; kind: FormKind; id: string }) {
  const { base, attempt, save, open, action } = form;
  const { fault, data, isRunning } = action;
  const fields = FORMS[kind].fields(attempt).filter(({ type }) => type !== 'secret');
  return (
    <>
      <Said fault={fault?.code === 'PRECONDITION_FAILED' ? undefined : fault}>{data && 'It is saved.'}</Said>
      {fault?.code === 'CONFLICT' && fault.sentence.includes('"force"') && (
        <button type="button" disabled={isRunning} onClick={() => void save(attempt, base.etag, { force: true })}>
          Save it anyway
        </button>
      )}
      {fault?.code === 'PRECONDITION_FAILED' && (
        <Conflict
          path={recordPath(kind, id)}
          parse={readExactly}
          labels={Object.fromEntries(fields.map(({ name, label }) => [name, label]))}
          base={base}
          own={attempt}
          save={(values, etag) => void save(values, etag)}
          leave={open}
        />
      )}
    </>
  );
}

/** A schema is written as a document or by its data points. */
function DocumentSwitch({ entry, type }: { entry: EntryValues; type(members: EntryValues): void }) {
  const isDocument = entry.jsonSchema !== null && entry.jsonSchema !== undefined;
  return (
    <p>
      <label>
        <input
          type="checkbox"
          checked={isDocument}
          onChange={({ currentTarget }) => type({ jsonSchema: currentTarget.checked ? '' : null })}
        />{' '}
        Written as a JSON Schema document
      </label>
    </p>
  );
}
