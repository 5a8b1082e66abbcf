// The frame of the wallet in one dialog of the page, and the one connection to it.
import { CallOptions, connect, type RemoteProxy, WindowMessenger } from 'penpal';
import { CoreServiceError } from '../core/error.js';
import type { FrameMethods, PageMethods } from '../core/protocol.js';
import { Refusals, whyNoConnection } from './no-connection.js';

/** How long a frame may be silent after it has loaded, milliseconds: one that the gateway refuses says nothing. */
const SILENCE_MS = 2_000;
/** How long the frame may take to load, to connect after its first message, and to hear of a closed dialog, milliseconds. */
const LOAD_MS = 15_000;

/**
 * `!important`, where style sheets and libraries of the page change what is outside their own dialogs: `pointer-events: none` on the body would be
 * inherited, for example.
 */
const DIALOG_STYLE =
  'padding:0;border:0;border-radius:16px;overflow:hidden;background:transparent;' +
  'width:min(400px,100vw - 16px);height:min(600px,100dvh - 16px);max-width:none;max-height:none;' +
  'opacity:1!important;visibility:visible!important;pointer-events:auto!important';
const FRAME_STYLE =
  'display:block;width:100%;height:100%;border:0;opacity:1!important;visibility:visible!important;' +
  'pointer-events:auto!important;color-scheme:light dark';
/** What libraries set on everything outside their own dialogs, which makes it dead, or silent for screen readers. */
const OUTSIDE = ['inert', 'aria-hidden'];

type Methods<M> = { [K in keyof M]: M[K] };

/** An open frame. `ended` rejects when it is closed. */
export interface Frame {
  remote: RemoteProxy<Methods<FrameMethods>>;
  ended: Promise<never>;
  isThere(): boolean;
}

export interface FrameOptions {
  /** Origin of the gateway. */
  baseUrl: string;
  partnerId: string;
  emit: PageMethods['emit'];
  provide: PageMethods['provide'];
  /** Ends the frame. */
  signal: AbortSignal;
}

/** Opens the frame, hidden. @throws CoreServiceError CONFIG_ERROR, OFFLINE, TIMEOUT; CLIENT_ERROR when it is ended meanwhile. */
export async function openFrame({ baseUrl, partnerId, emit, provide, signal }: FrameOptions): Promise<Frame> {
  if (!navigator.onLine) throw new CoreServiceError('OFFLINE', 'The browser is offline.');
  const { dialog, iframe } = makeDialog(`${baseUrl}/wallet/?partnerId=${encodeURIComponent(partnerId)}`);
  const dismissed = new EventTarget();
  const { show, hide } = visibility(dialog, iframe, () => dismissed.dispatchEvent(new Event('dismiss')));
  const loaded = silence(iframe, baseUrl);
  const refusals = new Refusals(baseUrl);
  // Beside the body, because libraries change the body and its children; it is there before there is a body, too.
  document.documentElement.append(dialog);
  const watching = keepInside(dialog);
  const { contentWindow } = iframe;
  if (contentWindow === null) throw new CoreServiceError('CLIENT_ERROR', 'The wallet could not be added to the page.');
  const messenger = new WindowMessenger({ remoteWindow: contentWindow, allowedOrigins: [baseUrl] });
  const connection = connect<Methods<FrameMethods>>({ messenger, methods: { emit, provide, show, hide } });
  const end = (): void => {
    connection.destroy();
    watching.disconnect();
    dialog.remove();
  };
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      end();
      reject(new CoreServiceError('CLIENT_ERROR', 'The client was cleaned up while this ran.'));
    });
  });
  ended.catch(() => {});
  try {
    const remote = await Promise.race([connection.promise, loaded.timedOut, ended]);
    // A frame that has crashed says nothing, and would wait for ever for the user.
    const inTime = new CallOptions({ timeout: LOAD_MS });
    dismissed.addEventListener('dismiss', () => void remote.dismiss(inTime).catch(end));
    return { remote, ended, isThere: () => iframe.isConnected };
  } catch (error) {
    end();
    throw error === SILENT ? await whyNoConnection(baseUrl, partnerId, refusals) : error;
  } finally {
    loaded.stop();
    refusals.stop();
  }
}

function makeDialog(src: string): { dialog: HTMLDialogElement; iframe: HTMLIFrameElement } {
  const dialog = document.createElement('dialog');
  dialog.style.cssText = DIALOG_STYLE;
  dialog.setAttribute('aria-label', 'Wallet');
  const iframe = document.createElement('iframe');
  iframe.style.cssText = FRAME_STYLE;
  iframe.title = 'Wallet';
  iframe.src = src;
  dialog.append(iframe);
  return { dialog, iframe };
}

/** Undoes what libraries set on the dialog as on everything outside their own ones. */
function keepInside(dialog: HTMLDialogElement): MutationObserver {
  const observer = new MutationObserver((changes) => {
    for (const { target, attributeName } of changes)
      if (target instanceof Element && attributeName) target.removeAttribute(attributeName);
  });
  observer.observe(dialog, { attributeFilter: OUTSIDE, subtree: true });
  return observer;
}

/** Functions that show and hide the dialog. `dismiss` is called when the dialog is closed from outside the frame. */
function visibility(dialog: HTMLDialogElement, iframe: HTMLIFrameElement, dismiss: () => void) {
  let isShown = false;
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    dismiss();
  });
  dialog.addEventListener('close', () => {
    // The browser reports the closing in a later task; by then, the next screen may have opened the dialog again.
    if (!isShown || dialog.open) return;
    isShown = false;
    dismiss();
  });
  return {
    show() {
      if (!dialog.open) dialog.showModal();
      isShown = true;
      iframe.focus();
    },
    hide() {
      isShown = false;
      dialog.close();
    },
  };
}

const late = (): CoreServiceError =>
  new CoreServiceError('TIMEOUT', 'The wallet takes too long to load; check the connection, and try again.');

/** The frame has loaded and says nothing. */
const SILENT = new Error('silent');

/** A promise that rejects if the frame does not load, or does not connect, in time. */
function silence(iframe: HTMLIFrameElement, origin: string): { timedOut: Promise<never>; stop(): void } {
  let timer: ReturnType<typeof setTimeout>;
  const listening = new AbortController();
  const { signal } = listening;
  const timedOut = new Promise<never>((_, reject) => {
    const refuseIn = (ms: number, error: () => Error): void => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(error()), ms);
    };
    let isHeard = false;
    const hear = (event: MessageEvent): void => {
      if (isHeard || event.source !== iframe.contentWindow || event.origin !== origin) return;
      isHeard = true;
      refuseIn(LOAD_MS, late);
    };
    window.addEventListener('message', hear, { signal });
    iframe.addEventListener('load', () => isHeard || refuseIn(SILENCE_MS, () => SILENT), { signal });
    refuseIn(LOAD_MS, late);
  });
  timedOut.catch(() => {});
  const stop = (): void => {
    listening.abort();
    clearTimeout(timer);
  };
  return { timedOut, stop };
}
