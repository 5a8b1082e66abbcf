// Every text of the screens. A language is an object of this form; one without texts shows English.

const en = {
  wallet: 'Wallet',
  close: 'Close',
  email: {
    title: (partner: string) => `Log in to ${partner}`,
    label: 'E-mail address',
    hint: 'A code with six digits is mailed to this address.',
    action: 'Send code',
  },
  code: {
    title: 'Enter the code',
    label: 'Code',
    hint: (email: string) => `The code was mailed to ${email}. It can be used for ten minutes.`,
    action: 'Log in',
    again: 'Send another code',
    againIn: (seconds: number) => `Send another code in ${seconds} s`,
    back: 'Use another address',
  },
  consent: {
    asks: (partner: string) => `${partner} asks for this.`,
    cancel: 'Cancel',
    hidden: 'The button works once it is wholly visible.',
  },
  window: {
    title: 'Continue in a window',
    hint: 'This browser shows this safely only in a window of its own.',
    action: 'Open the window',
    waiting: 'Continue in the window that has opened.',
  },
  faults: {
    OFFLINE: 'The network cannot be reached. Check the connection and try again.',
    TIMEOUT: 'This took too long. Try again.',
    RATE_LIMITED: 'There were too many attempts. Wait a few minutes and try again.',
    INTERNAL_SERVER_ERROR: 'This does not work right now. Try again shortly.',
    late: 'This code can no longer be used. Ask for another one.',
  },
};

export type Texts = typeof en;

const LANGUAGES: Readonly<Record<string, Texts>> = { en };

/** The texts of a locale, by its language. */
export const textsOf = (locale: string): Texts => LANGUAGES[locale.split('-')[0]?.toLowerCase() ?? ''] ?? en;
