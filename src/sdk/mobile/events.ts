// The events of the library for apps.
import type { LoginResult } from './types.js';

/** What has happened. */
export abstract class CoreEvent {
  /** The name of its class, which a bundler may shorten. */
  abstract readonly name: string;
}

/** `initialize` is done. */
export class CoreInitializedEvent extends CoreEvent {
  readonly name = 'CoreInitializedEvent';
}

/** A user has logged in, or a session was resumed. */
export class CoreLoggedInEvent extends CoreEvent {
  readonly name = 'CoreLoggedInEvent';

  constructor(readonly payload: LoginResult) {
    super();
  }
}

/** The session has ended, here or at the gateway. */
export class CoreLoggedOutEvent extends CoreEvent {
  readonly name = 'CoreLoggedOutEvent';
}

/** Keys and account of the user are here. */
export class CoreWalletInitializedEvent extends CoreEvent {
  readonly name = 'CoreWalletInitializedEvent';
}

export type CoreEventListener = (event: CoreEvent) => void;
