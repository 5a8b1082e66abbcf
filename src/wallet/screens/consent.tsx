// Asks for a consent, which counts only after a click on a button that was visible for a while.
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
  const { partnerName, title, facts, action } = screen;
  const heading = useFocus<HTMLHeadingElement>();
  const { button, isReady, takes } = useVisibleButton();
  const click = (event: MouseEvent): void => {
    if (takes(event)) answer?.({ consented: true });
  };
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      <p>
        <bdi>{texts.asks(partnerName)}</bdi>
      </p>
      {/* Long facts scroll while the button stays in sight, by keyboard too. */}
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
      <p id="hint" role="status">
        {isReady ? '' : texts.hidden}
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
