// Follows a core id that is being minted, until it is minted or has failed.
import type { CoreEvent } from '../sdk/core/types.js';
import type { Session } from './session.js';

const PAUSE_MS = 2_000;
const ENDS = 'core_id_minted,core_id_minting_failed';

interface EventPage {
  items: { type: string; errorMessage?: string }[];
  nextAfter: string;
}

interface Minting {
  coreId?: { status: string };
}

/** Watches one minting at a time. */
export class MintingWatch {
  #isWatching = false;

  constructor(
    private readonly session: Session,
    private readonly emit: (event: CoreEvent) => void,
  ) {}

  /**
   * Emits that a minting has started, and, if it fails, that it has failed. Does nothing while one is already watched.
   */
  start(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.emit({ event: 'core_id_minting_started' });
    void this.#watch().finally(() => {
      this.#isWatching = false;
    });
  }

  async #watch(): Promise<void> {
    const login = this.session.login;
    let after: string | undefined;
    while (this.session.login !== undefined && this.session.login.id === login?.id) {
      const page = await this.#next(after).catch(() => undefined);
      const end = page?.items.at(-1);
      if (end?.type === 'core_id_minting_failed')
        return this.emit({ event: 'core_id_minting_failed', errorMessage: end.errorMessage });
      if (end !== undefined) return;
      after = page?.nextAfter ?? after;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  /** Reads the first page of events before the state of the minting, so that an end between the two is not missed. */
  async #next(after: string | undefined): Promise<EventPage> {
    const query = new URLSearchParams({ types: ENDS, ...(after === undefined ? {} : { after }) });
    const page = await this.session.call<EventPage>(`/v1/events?${query}`);
    if (after !== undefined) return page;
    const { coreId } = await this.session.call<Minting>('/v1/holders/me');
    // Events of earlier mintings are ignored while one is running.
    return { ...page, items: coreId?.status === 'minting' ? [] : page.items };
  }
}
