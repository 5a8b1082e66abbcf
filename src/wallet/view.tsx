// Draws what the host shows.
import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
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
        <button type="button" class="close" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      <Form key={shown.key} shown={shown} context={context} />
    </main>
  );
}

function Form({ shown: { screen, answer, fail }, context }: { shown: Shown; context: ViewContext }) {
  const { texts, partnerId, close, isWindow = false } = context;
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
      return <LaterTradeForm screen={screen} answer={answer} texts={texts} />;
    case 'consent':
    case 'recovery-code':
      if (!isWindow && !seesWhetherVisible())
        return <OpenWindow screen={screen} answer={answer} fail={fail} partnerId={partnerId} texts={texts} />;
      return screen.kind === 'consent' ? (
        <ConsentForm screen={screen} answer={answer} cancel={close} texts={texts} />
      ) : (
        <RecoveryCodeForm screen={screen} answer={answer} texts={texts} />
      );
  }
}

/** The form of trades, whose code is loaded when it is first shown. */
function LaterTradeForm(props: TradeFormProps) {
  const [Loaded, setLoaded] = useState<ComponentType<TradeFormProps>>();
  useEffect(() => void import('./screens/trade.js').then(({ TradeForm }) => setLoaded(() => TradeForm)), []);
  return Loaded ? <Loaded {...props} /> : null;
}
