// Values that are stored in this browser for one partner; in memory where storage is denied. Apps have storage of their own.

/** Where texts are stored. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Names of what is stored about a holder's requests, by which another call continues them. A logout deletes it; a session that ends by itself
 * does not, so that the same holder can continue after a login.
 */
export const OF_HOLDER = { unfinished: 'unfinished', issuing: 'issuing' } as const;

/** Values as JSON, under names that contain the partner's id. */
export class Store {
  readonly #memory = new Map<string, string>();

  constructor(
    private readonly partnerId: string,
    private readonly storage: () => TextStorage = () => localStorage,
  ) {}

  get<T>(name: string): T | undefined {
    const key = this.#key(name);
    const text = attempt(() => this.storage().getItem(key)) ?? this.#memory.get(key);
    return text === undefined ? undefined : attempt(() => JSON.parse(text) as T);
  }

  set(name: string, value: unknown): void {
    const key = this.#key(name);
    const text = JSON.stringify(value);
    this.#memory.delete(key);
    const isStored = attempt(() => {
      this.storage().setItem(key, text);
      return true;
    });
    if (!isStored) this.#memory.set(key, text);
  }

  delete(name: string): void {
    const key = this.#key(name);
    this.#memory.delete(key);
    attempt(() => this.storage().removeItem(key));
  }

  #key(name: string): string {
    return `core.${this.partnerId}.${name}`;
  }
}

/** Storage throws where it is denied or full. */
function attempt<T>(read: () => T): Exclude<T, null> | undefined {
  try {
    return (read() ?? undefined) as Exclude<T, null> | undefined;
  } catch {
    return undefined;
  }
}
