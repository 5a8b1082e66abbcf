// Reads files of recipients in a worker, so that the page stays responsive. The rows are sent in parts: the page would receive 10,000 at once in one
// long task.
import { type BatchFile, readBatchFile } from './batch-file.js';

/** What the worker sends: parts of the file, in their order, and then its end. Only a message if the file is wrong. */
export type FromWorker = { part: BatchFile } | { isWhole: true } | { message: string };

/** The most rows of a part. */
const PART_ROWS = 1_000;

const send = (message: FromWorker): void => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<string>) => {
  try {
    const { rows, refused } = readBatchFile(data);
    for (let from = 0; from < Math.max(rows.length, refused.length); from += PART_ROWS) {
      const to = from + PART_ROWS;
      send({ part: { rows: rows.slice(from, to), refused: refused.slice(from, to) } });
    }
    send({ isWhole: true });
  } catch (error) {
    send({ message: (error as Error).message });
  }
};
