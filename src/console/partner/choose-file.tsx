// The field of a file of recipients, which is read in a worker.
import { useState } from 'preact/hooks';
import type { BatchField } from '../../common/batch-row.js';
import { readInWorker } from './batch-reader.js';
import type { ReadFile } from './read-file.js';

interface ChooseFileProps {
  label: string;
  /** Of the credential. */
  fields: readonly BatchField[];
  /** Called when another file is chosen, or none. */
  changed?(): void;
  /** Called with the file once it is read. */
  chosen(file: ReadFile, name: string): void;
}

export function ChooseFile({ label, fields, changed, chosen }: ChooseFileProps) {
  const [message, setMessage] = useState('');
  const read = async (file: File | undefined): Promise<void> => {
    changed?.();
    setMessage('');
    if (file === undefined) return;
    try {
      chosen(await readInWorker(file, fields), file.name);
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  return (
    <>
      <div class="field">
        <label>
          {label}
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        </label>
      </div>
      <p role="alert" class="fault">
        {message}
      </p>
    </>
  );
}
