// The provider of the page (EIP-1193): a single object, which forwards requests to the frame.
import { Listeners } from '../core/listeners.js';
import type { ProviderErrorData, ProviderEventName } from '../core/protocol.js';
import type { Eip1193Provider, RequestArguments } from '../core/types.js';

/** An error of a provider. */
export class ProviderRpcError extends Error {
  override readonly name = 'ProviderRpcError';
  readonly code: number;
  readonly data?: unknown;

  constructor({ code, message, data }: ProviderErrorData) {
    super(message);
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** Sends a request to the frame; undefined while there is no frame. */
export type AskFrame = (
  args: RequestArguments,
) => Promise<{ value: unknown } | { error: ProviderErrorData }> | undefined;

/** The code of a disconnected provider (EIP-1193). */
const DISCONNECTED = 4_900;
const INVALID_PARAMS = -32_602;

export class Provider implements Eip1193Provider {
  readonly #events = new Map<string, Listeners<unknown>>();

  constructor(private readonly ask: AskFrame) {}

  async request(args: RequestArguments): Promise<unknown> {
    if (typeof args?.method !== 'string')
      throw new ProviderRpcError({ code: INVALID_PARAMS, message: 'A request needs a method.' });
    const { method, params } = args;
    const answer = await this.ask(params === undefined ? { method } : { method, params })?.catch(() => undefined);
    if (answer === undefined)
      throw new ProviderRpcError({ code: DISCONNECTED, message: 'The client is not initialized.' });
    if ('error' in answer) throw new ProviderRpcError(answer.error);
    return answer.value;
  }

  on(event: string, listener: (value: unknown) => void): this {
    const listeners = this.#events.get(event) ?? new Listeners<unknown>();
    this.#events.set(event, listeners);
    listeners.add(listener);
    return this;
  }

  removeListener(event: string, listener: (value: unknown) => void): this {
    this.#events.get(event)?.delete(listener);
    return this;
  }

  /** Calls the listeners of an event. */
  emit(event: ProviderEventName, value: unknown): void {
    const told = event === 'disconnect' ? new ProviderRpcError(value as ProviderErrorData) : value;
    this.#events.get(event)?.emit(told);
  }

  /** Removes all listeners. */
  clear(): void {
    this.#events.clear();
  }
}
