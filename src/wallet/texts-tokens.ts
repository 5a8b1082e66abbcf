// The texts of what is done with tokens, in all languages. They are loaded with the operations that need them.
import { inLanguageOf } from './language.js';

const en = {
  does: 'What it does',
  token: 'Token',
  to: 'To',
  from: 'From',
  spender: 'Who may spend it',
  until: 'Can be used until',
  always: 'always',
  says: (address: string, symbol: string) => `${address}, which calls itself ${symbol}`,
  amount: (amount: string, symbol: string) => `${amount} ${symbol}`,
  units: (units: string, address: string) =>
    `${units} of the smallest units (or the item of this number) of ${address}`,
  all: (symbol: string) => `all your ${symbol}`,
  sends: (amount: string) => `Sends ${amount}.`,
  takes: (amount: string) => `Takes ${amount} from an account that has allowed it.`,
  allows: (spender: string, amount: string) => `${spender} may spend ${amount}, without end.`,
  allowsUntil: (spender: string, amount: string, until: string) => `${spender} may spend ${amount}, until ${until}.`,
  allowsOnce: (spender: string, amount: string) => `${spender} may take ${amount}, once.`,
  more: (spender: string, amount: string) => `${spender} may spend ${amount} more than now, without end.`,
  revokes: (spender: string) => `${spender} may no longer spend this token.`,
  allItems: (spender: string) =>
    `${spender} may take all items that you have, or will have, in this collection, without end.`,
};

type TokenTexts = typeof en;

const de: TokenTexts = {
  does: 'Was geschieht',
  token: 'Token',
  to: 'An',
  from: 'Von',
  spender: 'Wer darüber verfügen darf',
  until: 'Verwendbar bis',
  always: 'immer',
  says: (address: string, symbol: string) => `${address}, nennt sich ${symbol}`,
  amount: (amount: string, symbol: string) => `${amount} ${symbol}`,
  units: (units: string, address: string) =>
    `${units} der kleinsten Einheiten (oder das Stück mit dieser Nummer) von ${address}`,
  all: (symbol: string) => `alle Ihre ${symbol}`,
  sends: (amount: string) => `Sendet ${amount}.`,
  takes: (amount: string) => `Nimmt ${amount} von einem Konto, das dies erlaubt hat.`,
  allows: (spender: string, amount: string) => `${spender} darf unbefristet ausgeben: ${amount}.`,
  allowsUntil: (spender: string, amount: string, until: string) =>
    `${spender} darf ausgeben: ${amount}, bis zum ${until}.`,
  allowsOnce: (spender: string, amount: string) => `${spender} darf einmal nehmen: ${amount}.`,
  more: (spender: string, amount: string) => `${spender} darf unbefristet mehr als jetzt ausgeben, um ${amount}.`,
  revokes: (spender: string) => `${spender} darf diesen Token nicht mehr ausgeben.`,
  allItems: (spender: string) =>
    `${spender} darf unbefristet alle Stücke nehmen, die Sie in dieser Sammlung haben oder haben werden.`,
};

const LANGUAGES = { en, de };

/** The texts of a locale, by its language; English where there are none. */
export const tokenTextsOf = (locale: string): TokenTexts => inLanguageOf(locale, LANGUAGES);
