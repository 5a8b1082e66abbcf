// Asks for a consent, which counts only after a click on a button that was visible for a while.
import { useState } from 'preact/hooks';
import type { Answers, ConsentScreen } from '../../sdk/core/screens.js';
import type { Texts } from '../texts.js';
import { useVisibleButton } from '../visible-button.js';
import { useFocus } from './parts.js';

interface ConsentFormProps {
  screen: ConsentScreen;
  answer: ((answer: Answers['consent']) => void) | undefined;
  cancel(): void;
  texts: Texts;
}

export function ConsentForm({ screen, answer, cancel, texts: { consent: texts } }: ConsentFormProps) {
  const { partnerName, title, hint, facts, check, link, action } = screen;
  const heading = useFocus<HTMLHeadingElement>();
  const { button, isReady: isSeen, takes } = useVisibleButton();
  const [isChecked, setChecked] = useState(check === undefined);
  const isReady = isSeen && isChecked;
  const click = (event: MouseEvent): void => {
    if (takes(event) && isChecked) answer?.({ consented: true });
  };
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      <p>
        <bdi>{hint ?? texts.asks(partnerName)}</bdi>
      </p>
      {/* Long facts scroll, by keyboard too, while the button stays visible. */}
      {facts.length > 0 && (
        <dl tabIndex={0}>
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>
                <bdi>{name}</bdi>
              </dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {check !== undefined && (
        <label class="check">
          <input type="checkbox" checked={isChecked} onChange={(event) => setChecked(event.currentTarget.checked)} />
          <bdi>{check}</bdi>
        </label>
      )}
      {link && (
        <a href={link.url} target="_blank" rel="noopener noreferrer">
          <bdi>{link.text}</bdi>
        </a>
      )}
      <p id="hint" role="status">
        {isSeen ? '' : texts.hidden}
      </p>
      <button ref={button} type="button" class="main" aria-disabled={!isReady || answer === undefined} onClick={click}>
        <bdi>{action}</bdi>
      </button>
      <button type="button" onClick={cancel}>
        {texts.cancel}
      </button>
    </section>
  );
}
