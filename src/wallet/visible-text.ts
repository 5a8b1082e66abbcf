// Makes visible what texts of others hide: controls of direction, characters without a shape, and unusual spaces.

/**
 * Characters that are not seen, or change how others are seen: controls and formats (Cc, Cf), what has no assigned shape (Co, Cn), separators but the
 * space (Z), variation selectors, and fillers that look like nothing.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]|\u034F|\u115F|\u1160|\u17B4|\u17B5|[\u180B-\u180F]|\u2800|\u3164|[\uFE00-\uFE0F]|\uFFA0|[\u{E0100}-\u{E01EF}]/gu;
/** They are seen as they are: the space, and the end of a line. */
const SEEN: ReadonlySet<string> = new Set([' ', '\n']);
/** A joiner or a selector after an emoji only changes its picture. */
const IN_EMOJI = /\p{Extended_Pictographic}[\u200D\uFE0F\u{1F3FB}-\u{1F3FF}]*$/u;

/** A text in which each hidden character is shown by its number, such as ⟨U+202E⟩. */
export const visibleText = (text: string): string =>
  text.replaceAll(HIDDEN, (character, at: number) => {
    if (SEEN.has(character)) return character;
    const joins = character === '\u200D' || character === '\uFE0F';
    if (joins && IN_EMOJI.test(text.slice(Math.max(0, at - 16), at))) return character;
    const number = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${number}⟩`;
  });
