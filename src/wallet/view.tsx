// Draws what the host shows.
import { type ComponentType, type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Screen } from '../sdk/core/screens.js';
import { loaded } from './loaded.js';
import type { Shown } from './screen-host.js';
import { Armed } from './screens/armed.js';
import { CodeForm } from './screens/code.js';
import { ConsentForm } from './screens/consent.js';
import { EmailForm } from './screens/email.js';
import { NameForm } from './screens/name.js';
import { NoticeForm } from './screens/notice.js';
import { type Opening, OpenWindow } from './screens/open-window.js';
import { Progress } from './screens/parts.js';
import { RecoverForm, RecoveryCodeForm } from './screens/recovery.js';
import type { TradeFormProps } from './screens/trade.js';
import type { Texts } from './texts.js';

/** How long a request may take before the user is told to wait, milliseconds. */
const BUSY_MS = 1_000;

export interface ViewContext {
  texts: Texts;
  close(): void;
  /** In place of the screen, which is shown in a window: what opens that. */
  opening?: Opening;
}

/** Screens with which nothing is approved: the frame shows them. */
const IN_FRAME: ReadonlySet<string | undefined> = new Set<Screen['kind'] | undefined>([
  undefined,
  'email',
  'code',
  'name',
  'notice',
]);

/** Whether something is approved with a screen: it is shown in a window. */
export const isApproved = ({ screen }: Shown): boolean => !IN_FRAME.has(screen?.kind);

/** Draws a screen; undefined: none. */
export function drawScreen(shown: Shown | undefined, context: ViewContext): void {
  const root = document.getElementById('wallet');
  if (root === null) return;
  render(shown ? <Main shown={shown} context={context} /> : null, root);
}

function Main({ shown, context }: { shown: Shown; context: ViewContext }) {
  const { texts, close, opening } = context;
  const isBusy = shown.answer === undefined && !opening;
  return (
    <main aria-busy={isBusy}>
      <header>
        <span>{texts.wallet}</span>
        <Busy isBusy={isBusy && shown.screen !== undefined} text={texts.busy} />
        <button type="button" class="close" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      {opening ? (
        <OpenWindow opening={opening} texts={texts} />
      ) : isApproved(shown) ? (
        <Armed key={shown.key}>
          <Form shown={shown} context={context} />
        </Armed>
      ) : (
        <Form key={shown.key} shown={shown} context={context} />
      )}
    </main>
  );
}

/** Says that something is under way, once it has been for a second. */
function Busy({ isBusy, text }: { isBusy: boolean; text: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    const timer = setTimeout(() => setLong(isBusy), BUSY_MS);
    return () => clearTimeout(timer);
  }, [isBusy]);
  return <span role="status">{isLong && text}</span>;
}

function Form({ shown: { screen, answer, fail }, context }: { shown: Shown; context: ViewContext }) {
  const { texts, close } = context;
  switch (screen?.kind) {
    case undefined:
      return <Progress text={texts.busy} />;
    case 'email':
      return <EmailForm screen={screen} answer={answer} texts={texts} />;
    case 'code':
      return <CodeForm screen={screen} answer={answer} texts={texts} />;
    case 'name':
      return <NameForm screen={screen} answer={answer} texts={texts} />;
    case 'notice':
      return <NoticeForm screen={screen} answer={answer} />;
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
