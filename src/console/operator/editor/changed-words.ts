// Which words of a text are new against another text.

/** A text in three parts, of which the middle one differs from the text before. The parts together are the text. */
export function changedWords(before: string, text: string): { head: string; changed: string; tail: string } {
  const [old, now] = [wordsOf(before), wordsOf(text)];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const end = now.length - last;
  return {
    head: now.slice(0, first).join(''),
    changed: now.slice(first, end).join(''),
    tail: now.slice(end).join(''),
  };
}

/** Words and what stands between them. */
const wordsOf = (text: string): string[] => text.split(/(\s+)/);
