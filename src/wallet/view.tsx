// Draws what the host shows.
import { type ComponentType, type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PasskeyScreen } from '../sdk/core/screens.js';
import { loaded } from './loaded.js';
import type { Shown } from './screen-host.js';
import { CodeForm } from './screens/code.js';
import { ConsentForm } from './screens/consent.js';
import { EmailForm } from './screens/email.js';
import { NameForm } from './screens/name.js';
import { RecoverForm, RecoveryCodeForm } from './screens/recovery.js';
import { OpenWindow } from './screens/open-window.js';
import type { TradeFormProps } from './screens/trade.js';
import type { Texts } from './texts.js';
import { seesWhetherVisible } from './visible-button.js';

/** How long a request may take before the user is told to wait, milliseconds. */
const BUSY_MS = 1_000;

export interface ViewContext {
  texts: Texts;
  partnerId: string;
  close(): void;
  /** This is a window of its own. */
  isWindow?: boolean;
}

/** Draws a screen; undefined: none. */
export function drawScreen(shown: Shown | undefined, context: ViewContext): void {
  const root = document.getElementById('wallet');
  if (root === null) return;
  render(shown ? <Screen shown={shown} context={context} /> : null, root);
}

function Screen({ shown, context }: { shown: Shown; context: ViewContext }) {
  const { texts, close } = context;
  return (
    <main aria-busy={shown.answer === undefined}>
      <header>
        <span>{texts.wallet}</span>
        <Busy isBusy={shown.answer === undefined} text={texts.busy} />
        <button type="button" class="close" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      <Form key={shown.key} shown={shown} context={context} />
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
  const { texts, partnerId, close, isWindow = false } = context;
  const inWindow = <OpenWindow screen={screen} answer={answer} fail={fail} partnerId={partnerId} texts={texts} />;
  switch (screen.kind) {
    case 'email':
      return <EmailForm screen={screen} answer={answer} texts={texts} />;
    case 'code':
      return <CodeForm screen={screen} answer={answer} texts={texts} />;
    case 'recover':
      return <RecoverForm screen={screen} answer={answer} texts={texts} />;
    case 'name':
      return <NameForm screen={screen} answer={answer} texts={texts} />;
    case 'trade':
      return <LaterTradeForm screen={screen} answer={answer} fail={fail} texts={texts} />;
    case 'consent':
    case 'recovery-code':
      if (!isWindow && !seesWhetherVisible()) return inWindow;
      return screen.kind === 'consent' ? (
        <ConsentForm screen={screen} answer={answer} cancel={close} texts={texts} />
      ) : (
        <RecoveryCodeForm screen={screen} answer={answer} texts={texts} />
      );
    case 'passkey':
      if (!isWindow && !(seesWhetherVisible() && mayTouch(screen))) return inWindow;
      return (
        <Passkeys
          fail={fail}
          show={({ PasskeyForm }) => <PasskeyForm screen={screen} answer={answer} texts={texts} />}
        />
      );
    case 'passkeys':
      if (!isWindow && !seesWhetherVisible()) return inWindow;
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

/** Whether the page lets its frames touch passkeys. Browsers that cannot say so do not report either whether a frame is visible. */
function mayTouch({ purpose }: PasskeyScreen): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  const may = (name: string): boolean => featurePolicy?.allowsFeature(`publickey-credentials-${name}`) ?? true;
  return may('get') && (purpose === 'get' || may('create'));
}
