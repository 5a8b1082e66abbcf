// A field of an entry's form, with what is wrong with it.
import type { ComponentChildren } from 'preact';
import { AcceptedField } from './accepted-field.js';
import type { EntryFieldProps } from './field-props.js';
import type { FieldType } from './forms.js';
import { PointsField } from './points-field.js';
import { textOf } from './typed.js';

const LIST_FIELDS = { points: PointsField, accepted: AcceptedField } as const;

export function EntryField(props: EntryFieldProps) {
  const { field, fault, isDisabled } = props;
  const { name, label, type, about } = field;
  if (type === 'points' || type === 'accepted') {
    const List = LIST_FIELDS[type];
    return <List {...props} />;
  }
  const aboutId = `about-${name}`;
  if (type === 'scopes') return <Scopes {...props} />;
  const described = {
    id: `field-${name}`,
    'aria-describedby': aboutId,
    'aria-invalid': fault !== undefined,
    disabled: isDisabled,
  };
  const labelled = <label for={`field-${name}`}>{label}</label>;
  const control = <Control {...props} described={described} />;
  return (
    <div class={type === 'flag' ? 'flag' : 'field'}>
      {type === 'flag' ? [control, ' ', labelled] : [labelled, control]}
      <p id={aboutId} class={fault ? 'fault' : 'quiet'}>
        {fault?.sentence ?? (isDisabled ? 'Only a key that may do everything changes this.' : about)}
      </p>
    </div>
  );
}

const SCOPES = { issue: 'resolve recipients, store and issue', verify: 'verify, and check proofs' } as const;

function Scopes({ field, value, set, isDisabled }: EntryFieldProps) {
  const given = (value ?? []) as readonly string[];
  return (
    <fieldset disabled={isDisabled}>
      <legend>{field.label}</legend>
      {Object.entries(SCOPES).map(([scope, label]) => (
        <p key={scope}>
          <label>
            <input
              type="checkbox"
              checked={given.includes(scope)}
              onChange={({ currentTarget }) => {
                const others = given.filter((each) => each !== scope);
                set(currentTarget.checked ? [...others, scope].sort() : others);
              }}
            />{' '}
            {label}
          </label>
        </p>
      ))}
    </fieldset>
  );
}

const INPUT_TYPES: Partial<Record<FieldType, string>> = { secret: 'password', time: 'datetime-local' };
const LONG: readonly FieldType[] = ['text', 'json', 'keys', 'lines'];

type Described = Record<string, string | boolean>;

function Control({ field, value, set, described }: EntryFieldProps & { described: Described }): ComponentChildren {
  const { type, isRequired = false } = field;
  if (type === 'flag')
    return (
      <input
        {...described}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    );
  if (type === 'choice')
    return (
      <select
        {...described}
        value={String(value ?? '')}
        onChange={({ currentTarget }) => set(currentTarget.value === '' ? null : currentTarget.value === 'true')}
      >
        <option value="">if its schema has at most 64 data points</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  const text = typeof value === 'string' && type !== 'time' ? value : textOf(field, value);
  if (LONG.includes(type))
    return (
      <textarea
        {...described}
        class={type === 'text' ? undefined : 'code'}
        rows={Math.min(20, Math.max(4, text.split('\n').length + 1))}
        required={isRequired}
        spellcheck={type === 'text'}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        value={text}
      />
    );
  return (
    <input
      {...described}
      type={INPUT_TYPES[type] ?? 'text'}
      step={type === 'time' ? 1 : undefined}
      inputMode={type === 'whole' ? 'numeric' : undefined}
      autocomplete="off"
      required={isRequired}
      value={text}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  );
}
