// Draws in the window what a user approves. The frame does not load this code.
import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loaded } from './loaded.js';
import type { Shown } from './screen-host.js';
import { Armed } from './screens/armed.js';
import { ConsentForm } from './screens/consent.js';
import { NoticeForm } from './screens/notice.js';
import { Progress } from './screens/parts.js';
import { RecoverForm, RecoveryCodeForm } from './screens/recovery.js';
import type { TradeFormProps } from './screens/trade.js';
import { draw, type FormProps, Main, type ViewContext } from './view.js';

/** Draws a screen. */
export function drawInWindow(shown: Shown, context: ViewContext): void {
  draw(
    <Main isBusy={shown.answer === undefined} shown={shown} context={context}>
      <Screens key={shown.key} shown={shown} context={context} />
    </Main>,
  );
}

/** What nothing is approved with, and what is: that is armed. */
function Screens({ shown, context }: FormProps) {
  const { screen, answer } = shown;
  if (screen?.kind === 'reading') return <Reading answer={answer} text={context.texts.busy} />;
  if (screen?.kind === 'notice') return <NoticeForm screen={screen} answer={answer} />;
  return (
    <Armed>
      <Form shown={shown} context={context} />
    </Armed>
  );
}

/** Says that something is read, which begins now that the window is open. */
function Reading({ answer, text }: { answer: Shown['answer']; text: string }) {
  useEffect(() => {
    // Later: an answer draws, and what is drawn in an effect runs the effect again.
    const timer = setTimeout(() => answer?.({ open: true }));
    return () => clearTimeout(timer);
  }, []);
  return <Progress text={text} />;
}

function Form({ shown: { screen, answer, fail }, context: { texts, close } }: FormProps) {
  switch (screen?.kind) {
    case 'recover':
      return <RecoverForm screen={screen} answer={answer} texts={texts} />;
    case 'trade':
      return <LaterTradeForm screen={screen} answer={answer} fail={fail} texts={texts} />;
    case 'consent':
      return <ConsentForm screen={screen} answer={answer} cancel={close} texts={texts} />;
    case 'recovery-code':
      return <RecoveryCodeForm screen={screen} answer={answer} texts={texts} />;
    case 'passkey':
      return (
        <Passkeys
          fail={fail}
          show={({ PasskeyForm }) => <PasskeyForm screen={screen} answer={answer} texts={texts} />}
        />
      );
    case 'passkeys':
      return (
        <Passkeys
          fail={fail}
          show={({ PasskeysForm }) => (
            <PasskeysForm screen={screen} answer={answer} texts={texts} locale={document.documentElement.lang} />
          )}
        />
      );
    default:
      return null;
  }
}

/** The form of trades, whose code is loaded when it is first shown. */
function LaterTradeForm({ fail, ...props }: TradeFormProps & { fail: Shown['fail'] }) {
  const [Loaded, setLoaded] = useState<ComponentType<TradeFormProps>>();
  useEffect(() => {
    loaded(import('./screens/trade.js')).then(({ TradeForm }) => setLoaded(() => TradeForm), fail);
  }, []);
  return Loaded ? <Loaded {...props} /> : null;
}

type PasskeyForms = typeof import('./screens/passkeys.js');

/** Shows a screen of passkeys, whose code is loaded when the first one is needed. */
function Passkeys({ fail, show }: { fail: Shown['fail']; show(forms: PasskeyForms): JSX.Element }) {
  const [forms, setForms] = useState<PasskeyForms>();
  useEffect(() => {
    loaded(import('./screens/passkeys.js')).then(setForms, fail);
  }, []);
  return forms ? show(forms) : null;
}
