// Asks for the address that a code is mailed to.
import type { Answers, EmailScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { Fault, useFocus } from './parts.js';

interface EmailFormProps {
  screen: EmailScreen;
  answer: ((answer: Answers['email']) => void) | undefined;
  texts: Texts;
}

export function EmailForm({
  screen: { partnerName, email, isFixed, fault },
  answer,
  texts: { email: texts },
}: EmailFormProps) {
  const field = useFocus<HTMLInputElement>(fault);
  const submit = (event: Event): void => {
    event.preventDefault();
    const given = field.current?.value.trim() ?? '';
    if (given !== '') answer?.({ email: given });
  };
  return (
    <form onSubmit={submit}>
      <h1>{texts.title(partnerName)}</h1>
      <label for="email">{texts.label}</label>
      <input
        ref={field}
        id="email"
        type="email"
        autocomplete="email"
        required
        maxLength={254}
        defaultValue={email}
        readOnly={isFixed || answer === undefined}
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
