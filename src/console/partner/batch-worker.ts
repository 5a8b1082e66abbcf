// Reads files of recipients beside the page, which goes on.
import { readBatchFile } from './batch-file.js';

self.onmessage = ({ data }: MessageEvent<string>) => {
  try {
    self.postMessage({ file: readBatchFile(data) });
  } catch (error) {
    self.postMessage({ message: (error as Error).message });
  }
};
