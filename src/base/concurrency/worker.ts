// Background work.

/** Something that runs in the background while the gateway does. */
export interface Worker {
  start(): void;
  /** Resolves when its work has stopped. */
  stop(): Promise<void>;
}
