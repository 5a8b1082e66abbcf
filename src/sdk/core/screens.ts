// Screens as data: what is shown, and what comes back. The frame, a window of its own or an app shows them.

/** Asks for the address that a code is mailed to. */
export interface EmailScreen {
  kind: 'email';
  partnerName: string;
  /** What is in the field. */
  email: string;
  /** The partner has said whose login this is. */
  isFixed: boolean;
  /** What was wrong with the last answer. */
  fault?: string;
}

/** Asks for the mailed code. */
export interface CodeScreen {
  kind: 'code';
  email: string;
  /** When another code may be asked for, milliseconds since the epoch. */
  againAt: number;
  /** Whether another address may be given. */
  canGoBack: boolean;
  fault?: string;
}

/** Asks for a consent. It takes only a click on a button that was visible for a while. */
export interface ConsentScreen {
  kind: 'consent';
  partnerName: string;
  title: string;
  /** What is consented to, each with its name. */
  facts: readonly { name: string; value: string }[];
  /** The text of the button. */
  action: string;
}

export type Screen = EmailScreen | CodeScreen | ConsentScreen;

/** What each screen returns. Closing one rejects instead. */
export interface Answers {
  email: { email: string };
  code: { code: string } | { again: true } | { back: true };
  consent: { consented: true };
}

/** Shows a screen. @throws CoreServiceError USER_CANCELLED, WINDOW_BLOCKED, WINDOW_CLOSED. */
export type Present = <K extends Screen['kind']>(screen: Extract<Screen, { kind: K }>) => Promise<Answers[K]>;
