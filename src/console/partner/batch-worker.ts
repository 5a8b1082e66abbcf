// Reads files of recipients in a worker, so that the page stays responsive.
import { readBatchFile } from './batch-file.js';

self.onmessage = ({ data }: MessageEvent<string>) => {
  try {
    self.postMessage({ file: readBatchFile(data) });
  } catch (error) {
    self.postMessage({ message: (error as Error).message });
  }
};
