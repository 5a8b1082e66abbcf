// What a file of recipients has for one credential: its columns, and a template with their names.
import { useEffect, useState } from 'preact/hooks';
import { labelsOf } from '../../common/batch-row.js';
import { csvLine } from '../../common/csv-text.js';
import { Text } from '../parts/text.js';
import { typeWords } from './field-words.js';
import { spreadsheetDelimiter } from './spreadsheet.js';
import type { Point } from './subject-form.js';

interface BatchColumnsProps {
  credentialId: string;
  points: readonly Point[];
}

export function BatchColumns({ credentialId, points }: BatchColumnsProps) {
  const labels = labelsOf(points);
  return (
    <>
      <p>
        A spreadsheet, saved as CSV, with a line for each recipient. Its first line has the names of the columns:{' '}
        <Template name={`${credentialId}.csv`} labels={labels} />
      </p>
      <table class="columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">What is in its cells</th>
          </tr>
        </thead>
        <tbody>
          <Column label={labels[0] ?? ''} words="address of the recipient" isRequired />
          {points.map((point, index) => (
            <Column
              key={point.name}
              label={labels[index + 1] ?? ''}
              words={typeWords(point.type)}
              isRequired={point.isRequired}
            />
          ))}
          <Column label={labels.at(-1) ?? ''} words="date: the credential ends at its beginning, in UTC" />
        </tbody>
      </table>
    </>
  );
}

function Column({ label, words, isRequired = false }: { label: string; words: string; isRequired?: boolean }) {
  return (
    <tr>
      <th scope="row">
        <Text text={label} />
      </th>
      <td>
        {words}
        {isRequired ? '' : ', may be empty'}
      </td>
    </tr>
  );
}

/** A file that has the names of the columns alone. */
function Template({ name, labels }: { name: string; labels: readonly string[] }) {
  const text = `\ufeff${csvLine(labels, spreadsheetDelimiter())}`;
  const [address, setAddress] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return (
    <a href={address} download={name}>
      save a template
    </a>
  );
}
