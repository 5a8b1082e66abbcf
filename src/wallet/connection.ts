// The connection to the page that contains this frame. A malformed message ends it.
import { connect, type Message, type Messenger, WindowMessenger } from 'penpal';
import type { FrameMethods, PageMethods } from '../sdk/core/protocol.js';
import { isMessage } from './check.js';

type InitializeOptions = Parameters<Messenger['initialize']>[0];
type Methods<M> = { [K in keyof M]: M[K] };

const OF_HANDSHAKE: ReadonlySet<string> = new Set(['SYN', 'ACK1', 'ACK2']);

/** The messenger of a window that passes on only well-formed messages. */
class CheckedMessenger extends WindowMessenger {
  /** Whether the handshake is complete. A second one is refused. */
  isConnected = false;
  onFault: () => void = () => {};

  constructor(allowedOrigins: string[]) {
    super({ remoteWindow: window.parent, allowedOrigins });
    const { initialize } = this;
    this.initialize = (options: InitializeOptions) =>
      initialize({ ...options, validateReceivedMessage: this.#checking(options.validateReceivedMessage) });
  }

  #checking(isOurs: InitializeOptions['validateReceivedMessage']) {
    return (data: unknown): data is Message => {
      if (!isOurs(data)) return false;
      if (OF_HANDSHAKE.has(data.type)) return !this.isConnected;
      if (isMessage(data)) return true;
      this.onFault();
      return false;
    };
  }
}

export interface PageConnection {
  page: PageMethods;
  /** The origin of the page. */
  pageOrigin: string | undefined;
}

/**
 * Connects to the page.
 * @param onEnd called when the connection ends: the page has sent a malformed message, or this frame is unloaded
 */
export async function connectToPage(
  allowedOrigins: string[],
  methods: FrameMethods,
  onEnd: () => void,
): Promise<PageConnection> {
  let pageOrigin: string | undefined;
  window.addEventListener('message', ({ source, origin }) => {
    if (source === window.parent) pageOrigin ??= origin;
  });
  const messenger = new CheckedMessenger(allowedOrigins);
  const connection = connect<Methods<PageMethods>>({ messenger, methods: methods as Methods<FrameMethods> });
  let hide = (): void => {};
  const end = (): void => {
    onEnd();
    hide();
    connection.destroy();
  };
  messenger.onFault = end;
  // The page hears nothing else of a frame that loads again or is removed. One that is only kept for later may come back.
  window.addEventListener('pagehide', ({ persisted }) => persisted || end());
  const remote = await connection.promise;
  messenger.isConnected = true;
  const quietly = (call: () => Promise<unknown>): void => {
    // An async function, because `call` throws synchronously once the connection has ended.
    void (async () => call())().catch(() => {});
  };
  hide = () => quietly(() => remote.hide());
  return {
    pageOrigin,
    page: {
      emit: (event) => quietly(() => remote.emit(event)),
      provide: (event, value) => quietly(() => remote.provide(event, value)),
      show: () => quietly(() => remote.show()),
      hide,
    },
  };
}
