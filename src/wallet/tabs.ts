// Tabs of one site and partner inform each other of logins, logouts and settings.

/** A message from one tab to the others. The session and the settings themselves are in their shared store. */
export type TabMessage = 'logged_in' | 'logged_out' | 'config';

const MESSAGES: readonly unknown[] = ['logged_in', 'logged_out', 'config'] satisfies TabMessage[];

/** The channel to the other tabs. */
export class Tabs {
  readonly #channel: BroadcastChannel | undefined;

  constructor(partnerId: string, onMessage: (message: TabMessage) => void) {
    try {
      this.#channel = new BroadcastChannel(`core.${partnerId}`);
    } catch {
      // Storage is denied: this tab is alone.
      return;
    }
    this.#channel.onmessage = ({ data }) => {
      if (MESSAGES.includes(data)) onMessage(data as TabMessage);
    };
  }

  tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }
}
