// Tabs of one site and partner tell each other about logins, logouts and settings.

/** What a tab tells the others. What it is about is in the store that they share. */
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
