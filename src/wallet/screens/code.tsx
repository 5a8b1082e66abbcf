// Asks for the mailed code.
import { useEffect, useState } from 'preact/hooks';
import type { Answers, CodeScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { Fault, useFocus } from './parts.js';

interface CodeFormProps {
  screen: CodeScreen;
  answer: ((answer: Answers['code']) => void) | undefined;
  texts: Texts;
}

export function CodeForm({ screen, answer, texts: { code: texts } }: CodeFormProps) {
  const { email, againAt, canGoBack, fault } = screen;
  const field = useFocus<HTMLInputElement>(fault);
  const seconds = useSecondsUntil(againAt);
  const submit = (event: Event): void => {
    event.preventDefault();
    const code = (field.current?.value ?? '').replaceAll(/\s/g, '');
    if (/^\d{6}$/.test(code)) answer?.({ code });
  };
  return (
    <form onSubmit={submit}>
      <h1>{texts.title}</h1>
      <label for="code">{texts.label}</label>
      <input
        ref={field}
        id="code"
        inputMode="numeric"
        autocomplete="one-time-code"
        pattern="\s*(\d\s*){6}"
        required
        readOnly={answer === undefined}
        aria-describedby="hint fault"
      />
      <Fault text={fault} />
      <p id="hint">{texts.hint(email)}</p>
      <button type="submit" class="main" aria-disabled={answer === undefined}>
        {texts.action}
      </button>
      <button
        type="button"
        disabled={seconds > 0}
        aria-disabled={answer === undefined}
        onClick={() => answer?.({ again: true })}
      >
        {seconds > 0 ? texts.againIn(seconds) : texts.again}
      </button>
      {canGoBack && (
        <button type="button" aria-disabled={answer === undefined} onClick={() => answer?.({ back: true })}>
          {texts.back}
        </button>
      )}
    </form>
  );
}

/** Whole seconds until a moment, counted down. */
function useSecondsUntil(moment: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [moment]);
  return Math.max(0, Math.ceil((moment - now) / 1_000));
}
