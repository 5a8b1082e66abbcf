// The embedded engine as a process of its own, beside several gateway processes: serves DATA_DIR for as long as the primary is there.
import { serveEngine } from '../../engine/index.js';
import { fail } from '../failure.js';

async function main(dataDir: string): Promise<void> {
  // Sent to all processes together, these are for the primary, which ends the engine when nobody needs it any more.
  process.on('SIGTERM', () => {});
  process.on('SIGINT', () => {});
  const engine = await serveEngine({ dataDir });
  for (const notice of engine.notices) console.error(notice);
  // The primary lets go of us when it ends, in whatever way: whoever starts the next one finds the folder free.
  const close = (): void => void engine.close().then(() => process.exit(0), fail);
  if (!process.connected) return close();
  process.once('disconnect', close);
  process.send?.(engine.uri);
}

main(process.argv[2] ?? '').catch(fail);
