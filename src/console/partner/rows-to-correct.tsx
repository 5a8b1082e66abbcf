// Rows of a file that cannot be issued as they are: each with its line, its address and its reason, and its cells to be corrected in place.
import type { BatchColumn, BatchRecord } from '../../common/batch-row.js';
import { counted, Text } from '../parts/text.js';
import { typeWords } from './field-words.js';

export interface RowToCorrect {
  record: BatchRecord;
  email: string;
  /** Why it cannot be issued; absent for one that is corrected. */
  message?: string | undefined;
}

interface RowsToCorrectProps {
  columns: readonly BatchColumn[];
  rows: readonly RowToCorrect[];
  /** Called with a row whose cells were changed. */
  correct(record: BatchRecord): void;
}

/** How many are shown at once: corrected ones make room for the next. */
const SHOWN = 50;

export function RowsToCorrect({ columns, rows, correct }: RowsToCorrectProps) {
  return (
    <>
      <ul class="lines">
        {rows.slice(0, SHOWN).map((row) => (
          <Row key={row.record.rowKey} columns={columns} row={row} correct={correct} />
        ))}
      </ul>
      {rows.length > SHOWN && <p>{counted(rows.length - SHOWN, 'more row')} after these.</p>}
    </>
  );
}

interface RowProps extends Omit<RowsToCorrectProps, 'rows'> {
  row: RowToCorrect;
}

function Row({ columns, row: { record, email, message }, correct }: RowProps) {
  const change = (place: number, text: string): void =>
    correct({ ...record, cells: record.cells.map((cell, index) => (index === place ? text : cell)) });
  return (
    <li>
      <fieldset class="none">
        <legend>
          Line {record.line} {email && <Text text={email} />}
        </legend>
        <p class={message === undefined ? 'quiet' : 'fault'}>
          {message === undefined ? 'Corrected: it can be sent.' : <Text text={message} />}
        </p>
        <div class="filters">
          {columns.map((column, place) => (
            <label key={column.label}>
              <Text text={column.label} /> <span class="quiet">{wordsOf(column)}</span>
              <input
                type="text"
                autocomplete="off"
                value={record.cells[place]}
                onInput={({ currentTarget }) => change(place, currentTarget.value)}
              />
            </label>
          ))}
        </div>
      </fieldset>
    </li>
  );
}

function wordsOf({ is, type }: BatchColumn): string {
  if (is === 'field') return typeWords(type ?? 'json');
  return is === 'expiration' ? 'date' : '';
}
