// Asks for the name of a core id.
import type { Answers, NameScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { Fault, useFocus } from './parts.js';

interface NameFormProps {
  screen: NameScreen;
  answer: ((answer: Answers['name']) => void) | undefined;
  texts: Texts;
}

export function NameForm({ screen: { fault }, answer, texts: { name: texts } }: NameFormProps) {
  const field = useFocus<HTMLInputElement>(fault);
  const submit = (event: Event): void => {
    event.preventDefault();
    answer?.({ name: field.current?.value.trim().toLowerCase() ?? '' });
  };
  return (
    <form onSubmit={submit}>
      <h1>{texts.title}</h1>
      <label for="name">{texts.label}</label>
      <input
        ref={field}
        id="name"
        autocomplete="off"
        spellcheck={false}
        maxLength={32}
        readOnly={answer === undefined}
        aria-describedby="hint fault"
      />
      <Fault text={fault} />
      <p id="hint">{texts.hint}</p>
      <button type="submit" class="main" aria-disabled={answer === undefined}>
        {texts.action}
      </button>
    </form>
  );
}
