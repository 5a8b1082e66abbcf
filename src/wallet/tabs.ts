// Tabs of one site and partner inform each other of logins, logouts and settings.

/**
 * A message from one tab to the others: of a login, with the session, because the store that they share may have it
 * later in another process of the browser.
 */
export type TabMessage<T> = { session: T } | 'logged_out' | 'config';

/** The channel to the other tabs. */
export class Tabs<T> {
  readonly #channel: BroadcastChannel | undefined;

  constructor(partnerId: string, onMessage: (message: TabMessage<T>) => void) {
    try {
      this.#channel = new BroadcastChannel(`core.${partnerId}`);
    } catch {
      // Storage is denied: this tab is alone.
      return;
    }
    this.#channel.onmessage = ({ data }) => onMessage(data);
  }

  tell(message: TabMessage<T>): void {
    this.#channel?.postMessage(message);
  }
}
