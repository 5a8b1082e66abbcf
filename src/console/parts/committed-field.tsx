// A text field whose value is used after Enter, or after the focus has left it.
import type { ComponentProps } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface CommittedFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'label' | 'onInput' | 'onChange'> {
  label: string;
  value: string;
  isWide?: boolean;
  /** Called with the text, without spaces around it. */
  commit(value: string): void;
}

/** What is typed stays in the field when the page is rendered again meanwhile; only another `value` replaces it. */
export function CommittedField({ label, value, isWide = false, commit, ...others }: CommittedFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <label class={isWide ? 'wide' : undefined}>
      {label}
      <input
        type="text"
        maxLength={300}
        {...others}
        value={typed}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={({ currentTarget }) => commit(currentTarget.value.trim())}
      />
    </label>
  );
}
