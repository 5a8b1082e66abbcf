// Screens as data: what each shows, and what the user enters. The frame, a window of its own or an app shows them.

/** Asks for the address that a code is mailed to. */
export interface EmailScreen {
  kind: 'email';
  partnerName: string;
  /** The content of the field. */
  email: string;
  /** Whether the partner token contains the address, so that the user cannot change it. */
  isFixed: boolean;
  /** The fault of the last input. */
  fault?: string;
}

/** Asks for the mailed code. */
export interface CodeScreen {
  kind: 'code';
  email: string;
  /** From when on the user may request another code, milliseconds since the epoch. */
  againAt: number;
  /** Whether the user may enter another address. */
  canGoBack: boolean;
  fault?: string;
}

/** Asks for a consent. */
export interface ConsentScreen {
  kind: 'consent';
  partnerName: string;
  title: string;
  /** A sentence under the title; default: one that names who asks. */
  hint?: string;
  /** The facts that the user consents to, each with its name. */
  facts: readonly { name: string; value: string }[];
  /** A checkbox after the facts, which must also be ticked before the button works. */
  check?: string;
  /** A page that the user may open in addition. */
  link?: { text: string; url: string };
  /** The text of the button. */
  action: string;
}

/**
 * Says that something is read for the user. It is answered by itself once the window is open, in which everything that depends on it is shown: what a
 * page could see of the frame, and when, does not.
 */
export interface ReadingScreen {
  kind: 'reading';
}

/** Says why an operation cannot go on. Nothing is approved with it. */
export interface NoticeScreen {
  kind: 'notice';
  title: string;
  text: string;
  /** The text of a button that tries again; absent: that would not help. */
  again?: string;
  /** The text of the button that ends the operation. */
  close: string;
}

/** Shows a new recovery code. It is shown only once. */
export interface RecoveryCodeScreen {
  kind: 'recovery-code';
  code: string;
  /** Why it could not be stored yet; the answer tries again. */
  fault?: string;
}

/** Asks for the recovery code. */
export interface RecoverScreen {
  kind: 'recover';
  fault?: string;
}

/** Asks for the name of a core id, which may be empty. */
export interface NameScreen {
  kind: 'name';
  fault?: string;
}

/** What may be chosen on one side of a trade, with a sentence about it. */
export interface TradeOption {
  name: string;
  note?: string;
}

/** Swaps or buys tokens. All amounts are texts in the session's locale. */
export interface TradeScreen {
  kind: 'trade';
  partnerName: string;
  title: string;
  hint: string;
  /** The text of the button. */
  action: string;
  from: readonly TradeOption[];
  to: readonly TradeOption[];
  /** What the quote is for. */
  chosen: { from: string; to: string; amount: string };
  /** Absent: nothing is chosen, or the choice has a fault. */
  quote?: { pays: string; gets: string; atLeast?: string; value?: string };
  fault?: string;
  /** The screen before goes on, with what the user has entered. */
  continues: boolean;
}

/** Asks for a touch of a passkey: a new one that will open the backup, or one that does. */
export interface PasskeyScreen {
  kind: 'passkey';
  purpose: 'create' | 'get';
  /** The options of WebAuthn, as JSON. */
  options: Record<string, unknown>;
  /** Whether a recovery code may be taken instead. */
  orCode: boolean;
  fault?: string;
}

/** Shows the ways into the backup, and changes them. */
export interface PasskeysScreen {
  kind: 'passkeys';
  /** `isLast`: it cannot be removed. `opens`: it opens the keys, and does not only prove who the user is. */
  passkeys: readonly {
    id: string;
    name: string;
    createdAt: string;
    lastUsedAt: string | null;
    isLast: boolean;
    opens: boolean;
  }[];
  hasCode: boolean;
  fault?: string;
}

export type Screen =
  | EmailScreen
  | CodeScreen
  | ConsentScreen
  | ReadingScreen
  | NoticeScreen
  | RecoveryCodeScreen
  | RecoverScreen
  | NameScreen
  | TradeScreen
  | PasskeyScreen
  | PasskeysScreen;

/** What the user enters on each screen. Closing a screen rejects instead. */
export interface Answers {
  email: { email: string };
  code: { code: string } | { again: true } | { back: true };
  consent: { consented: true };
  reading: { open: true };
  notice: { again: true } | { closed: true };
  'recovery-code': { kept: true };
  recover: { code: string };
  name: { name: string };
  /** A choice asks for a quote of it; the trade is that of the quote. */
  trade: { choice: TradeScreen['chosen'] } | { trade: true };
  /**
   * WebAuthn's response as JSON, without outputs of extensions; and the key that the passkey's PRF output gives, in base64, if it has
   * one. `failed`: this browser cannot do it.
   */
  passkey: { response: { id: string }; wrapKey?: string } | { code: true } | { failed: string };
  passkeys: { add: true } | { remove: string } | { code: true } | { done: true };
}

/** Shows a screen. @throws CoreServiceError USER_CANCELLED, WINDOW_BLOCKED, WINDOW_CLOSED. */
export type Present = <K extends Screen['kind']>(screen: Extract<Screen, { kind: K }>) => Promise<Answers[K]>;
