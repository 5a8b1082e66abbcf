// Draws what the host shows.
import { type ComponentChildren, type JSX, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Screen } from '../sdk/core/screens.js';
import type { Shown } from './screen-host.js';
import { CodeForm } from './screens/code.js';
import { EmailForm } from './screens/email.js';
import { NameForm } from './screens/name.js';
import { type Opening, OpenWindow } from './screens/open-window.js';
import { Progress } from './screens/parts.js';
import type { Texts } from './texts.js';

/** How long a request may take before the user is told to wait, milliseconds. */
const BUSY_MS = 1_000;

export interface ViewContext {
  texts: Texts;
  close(): void;
}

export interface FormProps {
  shown: Shown;
  context: ViewContext;
}

/** Screens with which nothing is approved: the frame shows them. */
const IN_FRAME: ReadonlySet<string | undefined> = new Set<Screen['kind'] | undefined>([
  undefined,
  'email',
  'code',
  'name',
]);

/** Whether something is approved with a screen: it is shown in a window. */
export const isApproved = ({ screen }: Shown): boolean => !IN_FRAME.has(screen?.kind);

/** Draws a screen in the frame; undefined: none. With `opening`, in place of the screen, what opens its window. */
export function drawInFrame(shown: Shown | undefined, context: ViewContext, opening?: Opening): void {
  draw(
    shown ? (
      <Main isBusy={shown.answer === undefined && !opening} shown={shown} context={context}>
        {opening ? (
          <OpenWindow opening={opening} texts={context.texts} />
        ) : (
          <Form key={shown.key} shown={shown} context={context} />
        )}
      </Main>
    ) : null,
  );
}

/** Draws what the page shows; null: nothing. */
export function draw(content: JSX.Element | null): void {
  const root = document.getElementById('wallet');
  if (root !== null) render(content, root);
}

interface MainProps extends FormProps {
  isBusy: boolean;
  children: ComponentChildren;
}

/** The content of the page: a screen under its header. */
export function Main({ isBusy, shown, context: { texts, close }, children }: MainProps) {
  return (
    <main aria-busy={isBusy}>
      <header>
        <span>{texts.wallet}</span>
        <Busy isBusy={isBusy && shown.screen !== undefined} text={texts.busy} />
        <button type="button" class="close" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      {children}
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

function Form({ shown: { screen, answer }, context: { texts } }: FormProps) {
  switch (screen?.kind) {
    case 'email':
      return <EmailForm screen={screen} answer={answer} texts={texts} />;
    case 'code':
      return <CodeForm screen={screen} answer={answer} texts={texts} />;
    case 'name':
      return <NameForm screen={screen} answer={answer} texts={texts} />;
    default:
      return <Progress text={texts.busy} />;
  }
}
