// Asks for a consent, in a window.
import { useState } from 'preact/hooks';
import type { Answers, ConsentScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { visibleText } from '../visible-text.js';
import { End, useArmed, Wait } from './armed.js';
import { useFocus } from './parts.js';

interface ConsentFormProps {
  screen: ConsentScreen;
  answer: ((answer: Answers['consent']) => void) | undefined;
  cancel(): void;
  texts: Texts;
}

export function ConsentForm({ screen, answer, cancel, texts: { consent: texts, armed } }: ConsentFormProps) {
  const { partnerName, title, hint, facts, check, link, action } = screen;
  const heading = useFocus<HTMLHeadingElement>();
  const [isChecked, setChecked] = useState(check === undefined);
  const isArmed = useArmed() && answer !== undefined;
  const isReady = isArmed && isChecked;
  const click = (): void => {
    if (isReady) answer({ consented: true });
  };
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        <bdi>{visibleText(title)}</bdi>
      </h1>
      <p>
        <bdi>{visibleText(hint ?? texts.asks(partnerName))}</bdi>
      </p>
      {/* Long facts scroll, by keyboard too, while the button stays visible. */}
      {facts.length > 0 && (
        <dl tabIndex={0}>
          {facts.map(({ name, value }, at) => (
            <div key={at}>
              <dt>
                <bdi>{visibleText(name)}</bdi>
              </dt>
              <dd>
                {value.trim() === '' ? <em>{texts.empty}</em> : <bdi>{visibleText(value)}</bdi>}
                {at === facts.length - 1 && <End />}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {check !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={isChecked}
            aria-disabled={!isArmed}
            onChange={(event) => setChecked(event.currentTarget.checked)}
          />
          <bdi>{visibleText(check)}</bdi>
        </label>
      )}
      {link && (
        <a href={link.url} target="_blank" rel="noopener noreferrer">
          <bdi>{link.text}</bdi>
        </a>
      )}
      <Wait texts={armed} />
      <button type="button" class="main" aria-disabled={!isReady} onClick={click}>
        <bdi>{action}</bdi>
      </button>
      <button type="button" class="cancel" onClick={cancel}>
        {texts.cancel}
      </button>
    </section>
  );
}
