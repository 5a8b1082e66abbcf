// Requests that wait for a verification end when their time is over, whatever the garbage collector does meanwhile.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { VerificationWaits } from '../../../src/verification/records/waits.js';

const who = { id: 'v1', caller: 'partner' };
const change = { id: 'v1' } as never;
let collecting: NodeJS.Timeout;

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collecting = setInterval(collect, 20);
}

afterEach(() => clearInterval(collecting));

describe('A request that waits for a verification', () => {
  it('a request that waits for a verification ends with its time, also if garbage is collected meanwhile', async () => {
    collectGarbage();
    let reads = 0;
    const read = async (): Promise<number> => {
      reads += 1;
      return reads;
    };
    const waits = new VerificationWaits();
    // Nothing wakes it, so it reads at its beginning, once more when it can be woken, and at its end.
    expect(await waits.until({ ...who, seconds: 1 }, read, (count) => count < 5)).toBe(3);
  });

  it('a request that waits misses no change that is written while it reads', async () => {
    const waits = new VerificationWaits();
    let status = 'Pending';
    let reads = 0;
    const read = async (): Promise<string> => {
      reads += 1;
      const found = status;
      if (reads === 2) {
        status = 'Compliant';
        waits.changes.changed([change]);
      }
      return found;
    };
    expect(await waits.until({ ...who, seconds: 60 }, read, (found) => found === 'Pending')).toBe('Compliant');
  });

  it('a request that waits ends at once when the process ends', async () => {
    const waits = new VerificationWaits();
    let reads = 0;
    const read = async (): Promise<string> => {
      reads += 1;
      if (reads === 2) setImmediate(() => waits.end());
      return 'Pending';
    };
    expect(await waits.until({ ...who, seconds: 60 }, read, () => true)).toBe('Pending');
    expect(await waits.until({ ...who, seconds: 60 }, read, () => true)).toBe('Pending');
    expect(reads).toBe(4);
  });
});
