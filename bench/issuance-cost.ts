// What 1,000 issuances cost a gateway on its own: processor time of its process, and bytes of its data folder, with the holders that they make.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayProcess, scratchFolder } from './gateway-process.js';
import { many, prepareIssuing } from './issuance.js';
import { cpuSeconds } from './processor-time.js';
import type { Bar } from './report.js';

const ISSUANCES = 1_000;
const MB = 1_000_000;
/** Longer than events, sealing and anchoring lag. */
const SETTLED_MS = 3_000;

/** Issues to people by e-mail, who get their keys with their first credential. */
async function issueAll({ post, issuerDid }: Awaited<ReturnType<typeof prepareIssuing>>): Promise<void> {
  await many(ISSUANCES, (i) =>
    post('/v1/credentials/issue-on-behalf', {
      issuerDid,
      credentialId: `bench-${i % 3}`,
      credentialSubject: { note: `bench ${i}` },
      email: `holder-${i}@bench.example`,
    }),
  );
}

/** The bars of what issuances cost. */
export async function* issuanceCostBars(): AsyncIterable<Bar> {
  const dataDir = scratchFolder();
  const gateway = await GatewayProcess.start(dataDir);
  const bytes = (): number => statSync(join(dataDir, 'data.mdb')).size;
  try {
    const setting = await prepareIssuing(gateway);
    await delay(SETTLED_MS);
    const before = { cpu: cpuSeconds(gateway.pid), bytes: bytes() };
    await issueAll(setting);
    await delay(SETTLED_MS);
    const cpu = cpuSeconds(gateway.pid) - before.cpu;
    yield { name: 'processor time of 1,000 issuances', measured: cpu, limit: 25, holds: 'at most', unit: 's' };
    const grown = (bytes() - before.bytes) / MB;
    yield { name: 'disk of 1,000 issuances', measured: grown, limit: 20, holds: 'at most', unit: 'MB' };
  } finally {
    await gateway.stop();
  }
}
