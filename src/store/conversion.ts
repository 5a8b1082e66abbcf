// Data folders of earlier formats: the start and `migrate` announce and convert them, irreversibly. Other commands refuse them.
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../base/config/config.js';
import type { Conversion } from '../engine/thread.js';
import { StoreRefused } from './server-check.js';

/** The data folder is in an earlier format, and may not be converted now. */
export class ConversionRefused extends StoreRefused {}

/** Called before a folder is converted, with a sentence for people. */
export type OnConversion = (conversion: Conversion, sentence: string) => void;

/**
 * Checks the format of DATA_DIR before the embedded engine opens the folder and converts it.
 * @throws ConversionRefused if the folder must not be converted: without `announce`, or when UPGRADE is `ask`.
 */
export async function beforeConversion(
  { dataDir, upgrade }: Pick<Config, 'dataDir' | 'upgrade'>,
  announce?: OnConversion,
): Promise<void> {
  const { conversionOf } = await import('../engine/thread.js');
  const conversion = conversionOf(dataDir);
  if (conversion === undefined) return;
  const { from, to } = conversion;
  if (announce === undefined || upgrade === 'ask')
    throw new ConversionRefused(
      `The data folder ${dataDir} is in format ${from}: the start of this version converts it to format ${to}, which earlier versions cannot read. Copy the folder first, while nothing runs on it; then start the gateway or run migrate${upgrade === 'ask' ? ', with UPGRADE=auto' : ''}.`,
    );
  announce(
    conversion,
    `Converting the data folder ${dataDir} from format ${from} to ${to}. Earlier versions cannot read it afterwards: the way back is a copy of the folder from before (UPGRADE=ask refuses to convert).`,
  );
}

/** Announces conversions in the log. */
export const conversionLog =
  (log: FastifyBaseLogger): OnConversion =>
  (conversion, sentence) =>
    log.warn({ ...conversion }, sentence);
