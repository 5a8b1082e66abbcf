// Work beside the requests.

/** Something that works in the background from the start of the gateway to its end. */
export interface Worker {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}
