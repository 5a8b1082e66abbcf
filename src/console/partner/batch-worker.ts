// Reads files of recipients in a worker, so that the page stays responsive.
import type { BatchField } from '../../common/batch-row.js';
import { partsOfFile } from './batch-parts.js';

/** What the page sends. */
export interface ToWorker {
  text: string;
  fields: readonly BatchField[];
}

self.onmessage = ({ data: { text, fields } }: MessageEvent<ToWorker>) => {
  for (const part of partsOfFile(text, fields)) self.postMessage(part);
};
