// Changes KEYSTORE_KEY while gateways run. A gateway with the new and the previous key opens values of both, and seals
// with the store's key. Once every gateway has the new key, it becomes the store's; then an elected process reseals all
// values (docs/operation.md).
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import { rekey } from '../store/rekey.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { Elections } from '../store/election.js';
import { pause, type Term } from '../store/lease.js';
import type { ProcessLease } from '../store/process-lease.js';
import { announceKey, endRotation, type Rotation, rotationOf, useNextKey } from './keystore.js';

export interface RotationParts {
  connection: Connection;
  elections: Elections;
  processLease: Pick<ProcessLease, 'others'>;
  box: SealedBox;
  fields: readonly SealedField[];
  clock(): number;
  onError(error: unknown): void;
}

const INTERVAL_MS = 500;
/** The longest that a request may run that has sealed a value before its process changed the key, and will write it. */
const SETTLING_MS = 10 * 60_000;

/** The worker of a gateway with a previous key: it follows the store's key, and is a candidate for changing it. */
export function rotationWorkers(parts: RotationParts): Worker[] {
  if (parts.box.keyIds.length <= 1) return [];
  const work = async ({ signal }: Term): Promise<void> => {
    const begunAt = parts.clock();
    await sealAgain(parts, signal);
    for (let hasSettled = false; !hasSettled && !signal.aborted; await pause(INTERVAL_MS, signal)) {
      const rotation = await rotationOf(parts.connection, parts.box);
      if (rotation) await step(parts, rotation, signal);
      const settledAt = (rotation?.resealedAt?.getTime() ?? Number.POSITIVE_INFINITY) + SETTLING_MS;
      // Ends the work, and its next start seals again.
      hasSettled = begunAt < settledAt && settledAt <= parts.clock();
    }
  };
  return [new KeyFollower(parts), parts.elections.elect('keystore', work)];
}

/** Seals with the store's key from the moment that it changes. */
class KeyFollower implements Worker {
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RotationParts) {}

  start(): void {
    const { connection, box, onError } = this.parts;
    const follow = async (): Promise<void> => {
      const rotation = await rotationOf(connection, box);
      if (rotation && rotation.sealing !== box.sealing) box.sealWith(rotation.sealing);
    };
    this.#running = repeat(() => follow().catch(onError), this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

async function repeat(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work();
    await pause(INTERVAL_MS, signal);
  }
}

/**
 * After a rotation, seals values again that were written with the previous key: by a request that was under way when
 * the rotation ended, or a process that was suspended.
 */
async function sealAgain({ connection, box, fields }: RotationParts, signal: AbortSignal): Promise<void> {
  const rotation = await rotationOf(connection, box);
  if (rotation === undefined || rotation.resealing || rotation.sealing !== box.keyIds[0]) return;
  if (box.sealing === rotation.sealing) await rekey(fields, box, signal);
}

/** The next step of the rotation, once every gateway is ready for it. Steps may be repeated. */
async function step(
  { connection, processLease, box, fields, clock }: RotationParts,
  { sealing, announced, resealing }: Rotation,
  signal: AbortSignal,
): Promise<void> {
  const newest = box.keyIds[0] ?? '';
  if (sealing !== newest) {
    // Announced before the leases are read: a gateway that starts in between has its keys in its lease, or reads the announcement.
    if (!announced) await announceKey(connection, box);
    else if ((await processLease.others()).every(({ keys = [] }) => keys.includes(newest)))
      await useNextKey(connection);
  } else if (resealing && box.sealing === newest) {
    const others = await processLease.others();
    if (!others.every((process) => process.sealing === newest)) return;
    // Repeated until a pass finds nothing, because values may be sealed during a pass.
    if ((await rekey(fields, box, signal)) === 0 && !signal.aborted) await endRotation(connection, new Date(clock()));
  }
}
