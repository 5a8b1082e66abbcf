// What a user approves with: buttons that work only once the window has had the focus for a second and what it says was seen to its end, and not by
// a click that began before. A page can open windows at the pointer, put others in front, and take the focus away.
import { type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Texts } from '../texts.js';
import { Presses } from './presses.js';

/** How long the window must have had the focus, milliseconds. */
const CALM_MS = 1_000;

/** What the buttons still wait for: to know whether the end was seen, the end of what is to be read, the focus, the second. */
type Waiting = 'layout' | 'end' | 'focus' | 'second' | undefined;

const ArmedContext = createContext<Waiting>('second');

/** Whether the buttons of this screen work. */
export const useArmed = (): boolean => useContext(ArmedContext) === undefined;

/** Says why the buttons do not work yet. */
export function Wait({ texts }: { texts: Texts['armed'] }) {
  const waiting = useContext(ArmedContext);
  return (
    // Its place is kept from the start: facts that were scrolled to their end do not shrink then.
    <p id="hint" role="status" class={waiting === 'layout' ? 'unseen' : ''}>
      {waiting === 'end' || waiting === 'layout' ? texts.end : waiting === 'focus' ? texts.focus : ''}
    </p>
  );
}

/** Marks the end of what must have been seen. */
export const End = () => <span class="end" />;

/** Passes only those clicks on to a screen that its user meant, and those that cancel. A new screen needs a new one of these. */
export function Armed({ children }: { children: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  const hasRead = useEnds(root);
  const { focus, isCalm, restart } = useCalm();
  const isArmed = (): boolean => hasRead === true && isCalm.current;
  const presses = useRef(new Presses()).current;
  useEffect(() => {
    const blur = (): void => presses.blur();
    window.addEventListener('blur', blur);
    return () => window.removeEventListener('blur', blur);
  }, []);
  const click = (event: MouseEvent): void => {
    const isMeant = event.isTrusted && isArmed() && presses.isMeant(event);
    const within = (selector: string): boolean => event.target instanceof Element && !!event.target.closest(selector);
    if (isMeant || within('.cancel')) return;
    event.preventDefault();
    event.stopPropagation();
    if (within('button')) restart();
  };
  return (
    <ArmedContext.Provider value={hasRead === undefined ? 'layout' : hasRead ? focus : 'end'}>
      <div
        ref={root}
        class="armed"
        onPointerDownCapture={(event) => presses.pointerDown(event, isArmed())}
        onPointerUpCapture={(event) => presses.pointerUp(event)}
        onPointerCancelCapture={(event) => presses.pointerUp(event)}
        onKeyDownCapture={(event) => presses.keyDown(event, isArmed())}
        onKeyUpCapture={(event) => void setTimeout(() => presses.keyUp(event))}
        onClickCapture={click}
      >
        {children}
      </div>
    </ArmedContext.Provider>
  );
}

/** Whether every `End` in an element has been on the screen; undefined until that is known. */
function useEnds(root: RefObject<HTMLElement>): boolean | undefined {
  const [hasRead, setRead] = useState<boolean>();
  useEffect(() => {
    const unseen = new Set(root.current?.querySelectorAll('.end'));
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) unseen.delete(target);
      setRead(unseen.size === 0);
    });
    for (const end of unseen) observer.observe(end);
    if (unseen.size === 0) setRead(true);
    return () => observer.disconnect();
  }, []);
  return hasRead;
}

interface Calm {
  /** What the buttons wait for. */
  focus: Waiting;
  isCalm: { current: boolean };
  /** Begins the second again. */
  restart(): void;
}

/** Whether the window has had the focus for a second. */
function useCalm(): Calm {
  const isCalm = useRef(false);
  const [focus, setFocus] = useState<Waiting>('second');
  const timer = useRef<ReturnType<typeof setTimeout>>();
  // At once, and not only when it is drawn: the earlier second may end meanwhile.
  const set = (waiting: Waiting): void => {
    clearTimeout(timer.current);
    isCalm.current = waiting === undefined;
    setFocus(waiting);
    if (waiting === 'second') timer.current = setTimeout(() => set(undefined), CALM_MS);
  };
  const restart = (): void => set(document.hasFocus() ? 'second' : 'focus');
  useEffect(() => {
    const take = (): void => set('second');
    const lose = (): void => set('focus');
    window.addEventListener('focus', take);
    window.addEventListener('blur', lose);
    restart();
    return () => {
      clearTimeout(timer.current);
      window.removeEventListener('focus', take);
      window.removeEventListener('blur', lose);
    };
  }, []);
  return { focus, isCalm, restart };
}
