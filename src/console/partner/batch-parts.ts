// A file of recipients, read in the worker, and sent to the page in parts: the page would receive 10,000 rows at once in one long task.
import { readBatchFile } from '../../common/batch-file.js';
import { type BatchField, FileFault, rowOf } from '../../common/batch-row.js';
import type { FromWorker } from './read-file.js';

/** Most rows of a batch. */
const MAX_ROWS = 10_000;
/** The most rows of a part. */
const PART_ROWS = 1_000;

/** What the worker sends of a file. */
export function* partsOfFile(text: string, fields: readonly BatchField[]): Generator<FromWorker> {
  try {
    const { columns, records, notes } = readBatchFile(text, fields);
    if (records.length > MAX_ROWS)
      throw new FileFault(`The file has more than ${MAX_ROWS} rows; a batch takes no more.`);
    yield { columns, notes };
    for (let from = 0; from < records.length; from += PART_ROWS)
      yield {
        part: records.slice(from, from + PART_ROWS).map((record) => ({ record, row: rowOf(columns, record) })),
      };
    yield { isWhole: true };
  } catch (error) {
    yield { message: error instanceof FileFault ? error.message : 'The file cannot be read.' };
  }
}
