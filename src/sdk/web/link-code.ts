// The code of a link from another partner's page. It leaves the address and the history before anything else can read it there.

const NAME = 'core_login=';

/** A code that the frame has not been given yet: an `init` that was cleaned up or failed may be repeated. */
let waiting: string | undefined;

/** Takes a code out of the page's address. @returns it, or the one of an earlier `init` that failed. */
export function takeLinkCode(): string | undefined {
  const parts = (globalThis.location?.hash ?? '').slice(1).split('&');
  const code = parts.find((part) => part.startsWith(NAME));
  if (code === undefined) return waiting;
  const rest = parts.filter((part) => !part.startsWith(NAME)).join('&');
  const { pathname, search } = location;
  history.replaceState(history.state, '', `${pathname}${search}${rest === '' ? '' : `#${rest}`}`);
  waiting = code.slice(NAME.length);
  return waiting;
}

/** The frame has the code, or ignores it. */
export function forgetLinkCode(): void {
  waiting = undefined;
}
