// A machine whose wall clock is set back by an hour after a gateway was killed and before the next one starts: all work
// continues. Needs libfaketime (Debian's package faketime).
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer } from '../support/partner.js';

const LIBRARY = [
  process.env.LIBFAKETIME ?? '',
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
].find((path) => existsSync(path));

const folder = mkdtempSync(join(tmpdir(), 'clocks-'));
const clockFile = join(folder, 'clock');
const gateway = new GatewayProcess({
  LD_PRELOAD: LIBRARY ?? '',
  FAKETIME_TIMESTAMP_FILE: clockFile,
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DONT_RESET: '1',
});
afterAll(() => {
  gateway.remove();
  rmSync(folder, { recursive: true, force: true });
});

it.skipIf(LIBRARY === undefined)(
  'after a kill and a clock that is set back by an hour, events get their places (needs libfaketime)',
  async () => {
    writeFileSync(clockFile, '+3600s\n');
    await gateway.start();
    const told = async () => (await gateway.admin('GET', '/v1/events?types=catalog_entry_added')).body.items.length;
    await registerIssuer(gateway.asGateway, 'before');
    await eventually(async () => expect(await told()).toBeGreaterThan(0));
    const before = await told();
    await gateway.stop('SIGKILL');
    writeFileSync(clockFile, '+0s\n');
    await gateway.start();
    await registerIssuer(gateway.asGateway, 'after');
    await eventually(async () => expect(await told()).toBeGreaterThan(before));
    await eventually(async () =>
      expect((await gateway.rest('GET', '/health/ready')).body).toEqual({ status: 'ready' }),
    );
  },
);
