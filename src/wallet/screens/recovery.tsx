// The recovery code: shown once when keys are created, and requested where the keys are missing.
import type { Answers, RecoverScreen, RecoveryCodeScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { useArmed, Wait } from './armed.js';
import { Fault, useFocus } from './parts.js';

interface RecoveryCodeFormProps {
  screen: RecoveryCodeScreen;
  answer: ((answer: Answers['recovery-code']) => void) | undefined;
  texts: Texts;
}

export function RecoveryCodeForm({ screen: { code, fault }, answer, texts }: RecoveryCodeFormProps) {
  const { title, hint, label, action } = texts.recoveryCode;
  const heading = useFocus<HTMLHeadingElement>(fault);
  const isReady = useArmed() && answer !== undefined;
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{hint}</p>
      <label for="recovery-code">{label}</label>
      <output id="recovery-code" class="code">
        {code}
      </output>
      <Fault text={fault} />
      <Wait texts={texts.armed} />
      <button type="button" class="main" aria-disabled={!isReady} onClick={() => answer?.({ kept: true })}>
        {action}
      </button>
    </section>
  );
}

interface RecoverFormProps {
  screen: RecoverScreen;
  answer: ((answer: Answers['recover']) => void) | undefined;
  texts: Texts;
}

export function RecoverForm({ screen: { fault }, answer, texts: { recover: texts, armed } }: RecoverFormProps) {
  const isReady = useArmed() && answer !== undefined;
  const field = useFocus<HTMLInputElement>(fault);
  const submit = (event: Event): void => {
    event.preventDefault();
    const code = field.current?.value.trim() ?? '';
    if (code !== '') answer?.({ code });
  };
  return (
    <form onSubmit={submit}>
      <h1>{texts.title}</h1>
      <label for="recovery">{texts.label}</label>
      <input
        ref={field}
        id="recovery"
        autocomplete="off"
        spellcheck={false}
        required
        maxLength={100}
        readOnly={answer === undefined}
        aria-describedby="about fault"
      />
      <Fault text={fault} />
      <p id="about">{texts.hint}</p>
      <Wait texts={armed} />
      <button type="submit" class="main" aria-disabled={!isReady}>
        {texts.action}
      </button>
    </form>
  );
}
