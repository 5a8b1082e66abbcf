// Passkeys: a touch of one, and the list of the ways into the backup. Loaded when the first of them is shown.
import { useState } from 'preact/hooks';
import type { Answers, PasskeyScreen, PasskeysScreen } from '../../sdk/core/screens.js';
import { BROWSER } from '../passkeys/browser.js';
import { type Created, createPasskey, isAgain, keyOf, type Touch, usePasskey } from '../passkeys/webauthn.js';
import type { Texts } from '../texts.js';
import { useArmed, Wait } from './armed.js';
import { Fault, useFocus } from './parts.js';

interface PasskeyFormProps {
  screen: PasskeyScreen;
  answer: ((answer: Answers['passkey']) => void) | undefined;
  texts: Texts;
}

export function PasskeyForm({ screen, answer, texts: { passkey: texts, armed } }: PasskeyFormProps) {
  const { purpose, options, orCode } = screen;
  const [fault, setFault] = useState(screen.fault);
  const [isBusy, setBusy] = useState(false);
  const [created, setCreated] = useState<Created>();
  const heading = useFocus<HTMLHeadingElement>(fault);
  const isOff = !useArmed() || isBusy || answer === undefined;
  const { title, hint, action } = created ? texts.again : texts[purpose];
  const touch = async (): Promise<Touch | undefined> => {
    if (purpose === 'get') return usePasskey(BROWSER, options);
    const made = created ?? (await createPasskey(BROWSER, options));
    setCreated(made);
    const { response } = made;
    if (!made.hasPrf) return { response };
    const wrapKey = await keyOf(BROWSER, made, options);
    return wrapKey === undefined ? { response } : { response, wrapKey };
  };
  const click = async (): Promise<void> => {
    if (isOff) return;
    setBusy(true);
    setFault(undefined);
    try {
      const touched = await touch();
      if (touched) answer?.(touched);
    } catch (error) {
      if (isAgain(error))
        setFault(texts.faults[error instanceof Error && error.name === 'InvalidStateError' ? 'known' : 'again']);
      else answer?.({ failed: texts.none });
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p>{hint}</p>
      <Fault text={fault} />
      <Wait texts={armed} />
      <button type="button" class="main" aria-disabled={isOff} onClick={click}>
        {action}
      </button>
      {created && (
        <button type="button" aria-disabled={isOff} onClick={() => isOff || answer({ response: created.response })}>
          {texts.without}
        </button>
      )}
      {orCode && !created && (
        <button type="button" aria-disabled={isOff} onClick={() => isOff || answer({ code: true })}>
          {texts.orCode[purpose]}
        </button>
      )}
    </section>
  );
}

interface PasskeysFormProps {
  screen: PasskeysScreen;
  answer: ((answer: Answers['passkeys']) => void) | undefined;
  texts: Texts;
  locale: string;
}

export function PasskeysForm({ screen, answer, texts, locale }: PasskeysFormProps) {
  const { passkeys, hasCode, fault } = screen;
  const { passkeys: own, armed } = texts;
  const heading = useFocus<HTMLHeadingElement>(fault);
  const isOff = !useArmed() || answer === undefined;
  const when = (time: string) => new Date(time).toLocaleDateString(locale);
  const click = (value: Answers['passkeys']) => () => answer?.(value);
  return (
    <section aria-labelledby="title">
      <h1 id="title" ref={heading} tabIndex={-1}>
        {own.title}
      </h1>
      <p>{own.hint}</p>
      <ul class="passkeys">
        {passkeys.map(({ id, name, createdAt, lastUsedAt, isLast, opens }) => (
          <li key={id}>
            <span>
              <bdi>{name}</bdi>
              <small>{own.dates(when(createdAt), lastUsedAt === null ? undefined : when(lastUsedAt))}</small>
              {!opens && <small>{own.closed}</small>}
            </span>
            {isLast ? (
              <small>{own.last}</small>
            ) : (
              <button
                type="button"
                aria-disabled={isOff}
                aria-label={own.removes(name)}
                onClick={click({ remove: id })}
              >
                {own.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p>{hasCode ? own.code : own.noCode}</p>
      <Fault text={fault} />
      <Wait texts={armed} />
      <button type="button" class="main" aria-disabled={isOff} onClick={click({ add: true })}>
        {own.add}
      </button>
      <button type="button" aria-disabled={isOff} onClick={click({ code: true })}>
        {hasCode ? own.newCode : own.firstCode}
      </button>
      <button type="button" aria-disabled={isOff} onClick={click({ done: true })}>
        {own.done}
      </button>
    </section>
  );
}
