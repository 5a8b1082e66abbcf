// Prints what a person needs to understand a failed test (test/support/exchanges.ts).
import { afterEach } from 'vitest';
import { clearNotes, notesText } from './exchanges.js';

afterEach(({ task }) => {
  const text = task.result?.state === 'fail' ? notesText() : '';
  if (text !== '') console.error(`${task.name}\n${text}`);
  clearNotes();
});
