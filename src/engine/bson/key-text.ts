// Texts in index keys, in bits: their order is that of the UTF-8 bytes, and hexadecimal digits, of which ids and hashes consist, take little
// more than four. The code of a byte depends on the bytes before it alone, so texts that begin alike have codes that begin alike.

/** After so many hexadecimal digits, further ones are expected. */
const RUN = 3;
/** The code of a byte, or what comes before a byte that is written as it is. */
interface Code {
  bits: number;
  length: number;
}

const END_OF_RUN: Code = { bits: 0b000000, length: 6 };
const END: Code = { bits: 0, length: 8 };
const [BELOW_DASH, DASH, BELOW_DIGITS] = [0b000001, 0b000010, 0b000011].map((bits): Code => ({ bits, length: 6 })) as [
  Code,
  Code,
  Code,
];
const BETWEEN: Code = { bits: 0b10110, length: 5 };
const ABOVE: Code = { bits: 0b111111, length: 6 };
/** The digits, in the order of their bytes. Their codes, and those above, are ordered, and none is the beginning of another one. */
const DIGITS: readonly Code[] = [
  ...[0b0001, 0b0010, 0b0011, 0b0100, 0b0101, 0b0110, 0b0111, 0b1000, 0b1001, 0b1010].map((bits) => ({
    bits,
    length: 4,
  })),
  ...[{ bits: 0b10111, length: 5 }, ...[0b1100, 0b1101, 0b1110].map((bits) => ({ bits, length: 4 }))],
  ...[
    { bits: 0b11110, length: 5 },
    { bits: 0b111110, length: 6 },
  ],
];
const HEX = '0123456789abcdef';
const DASH_BYTE = 0x2d;

/** What follows a run: for a digit or a dash its code; for another byte the code of its range, and the byte. */
const AFTER_RUN: readonly Code[] = Array.from({ length: 256 }, (_, byte) => {
  const digit = HEX.indexOf(String.fromCharCode(byte));
  if (digit >= 0) return DIGITS[digit] as Code;
  if (byte === DASH_BYTE) return DASH;
  const { bits, length } = rangeOf(byte);
  return { bits: (bits << 8) | byte, length: length + 8 };
});

function rangeOf(byte: number): Code {
  if (byte < DASH_BYTE) return BELOW_DASH;
  if (byte < 0x30) return BELOW_DIGITS;
  return byte < 0x61 ? BETWEEN : ABOVE;
}

/** Bytes elsewhere are as they are; 0 and 1 have another bit, because 0 alone is the end. */
const ELSEWHERE: readonly Code[] = Array.from({ length: 256 }, (_, byte) =>
  byte < 2 ? { bits: 0b10 | byte, length: 9 } : { bits: byte, length: 8 },
);

/** By byte, elsewhere and then after a run. */
const BITS = Uint16Array.from([...ELSEWHERE, ...AFTER_RUN], ({ bits }) => bits);
const LENGTHS = Uint8Array.from([...ELSEWHERE, ...AFTER_RUN], ({ length }) => length);
const IS_DIGIT = Uint8Array.from({ length: 256 }, (_, byte) => (HEX.includes(String.fromCharCode(byte)) ? 1 : 0));

let utf8 = Buffer.allocUnsafe(4096);

/** The most bytes that `putKeyText` writes for a text. */
export const mostKeyBytes = (text: string): number => text.length * 6 + 2;

/**
 * Writes a text into `out` from `at`, which must have room for `mostKeyBytes`. Returns the end: with `open`, of the whole
 * bytes with which the codes of all longer texts begin; otherwise of the text, which ends before all longer ones.
 */
export function putKeyText(text: string, out: Uint8Array, at: number, open = false): number {
  if (utf8.length < text.length * 3) utf8 = Buffer.allocUnsafe(text.length * 3);
  const size = utf8.write(text);
  let [end, run, bits, held] = [at, 0, 0, 0];
  for (let i = 0; i < size; i++) {
    const byte = utf8[i] as number;
    const isAfterRun = run >= RUN;
    const code = isAfterRun ? byte + 256 : byte;
    const length = LENGTHS[code] as number;
    bits = ((bits & 0xff) << length) | (BITS[code] as number);
    held += length;
    while (held >= 8) {
      held -= 8;
      out[end++] = bits >> held;
    }
    if (IS_DIGIT[byte] === 1) run += 1;
    else if (!isAfterRun || byte !== DASH_BYTE) run = 0;
  }
  if (open) return end;
  const last = run >= RUN ? END_OF_RUN : END;
  // At most seven bits are left, and the end is zeros, as what fills the last byte.
  const whole = Math.ceil((held + last.length) / 8);
  out[end] = bits << (8 - held);
  if (whole > 1) out[end + 1] = 0;
  return end + whole;
}
