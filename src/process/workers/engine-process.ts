// The embedded engine in a separate process, for several gateway processes: it serves DATA_DIR while the primary runs.
import { serveEngine } from '../../engine/index.js';
import { fail } from '../failure.js';
import { STOP_SIGNALS } from '../signals.js';

async function main(dataDir: string): Promise<void> {
  // Signals that reach all processes are handled by the primary, which stops the engine last.
  for (const signal of STOP_SIGNALS) process.on(signal, () => {});
  const engine = await serveEngine({ dataDir });
  for (const notice of engine.notices) console.error(notice);
  // The channel closes when the primary ends in any way. The engine then ends too, so the next start finds the folder free.
  const close = (): void => void engine.close().then(() => process.exit(0), fail);
  if (!process.connected) return close();
  process.once('disconnect', close);
  process.send?.(engine.uri);
}

main(process.argv[2] ?? '').catch(fail);
