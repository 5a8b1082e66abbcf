// Every text of the screens. Another language is a file of this form; a locale without one is shown in English.
import type { CoreServiceError } from '../sdk/core/error.js';
import { inLanguageOf } from './language.js';
import { de } from './texts-de.js';

const en = {
  wallet: 'Wallet',
  close: 'Close',
  busy: 'One moment …',
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
    empty: 'Empty: there is no text.',
    asks: (partner: string) => `${partner} asks for this.`,
    cancel: 'Cancel',
  },
  armed: {
    end: 'The button works once you have read to the end.',
    focus: 'The button works a second after you return to this window.',
  },
  recoveryCode: {
    title: 'Your recovery code',
    hint: 'Write it down now: it is shown only this once. Without it, another browser or device cannot read your credentials.',
    label: 'Recovery code',
    action: 'I have written it down',
    unsaved: 'This code may not be stored yet: keep the one before, too.',
  },
  recover: {
    title: 'Enter your recovery code',
    hint: 'Your keys are not in this browser. The code that you wrote down opens their backup.',
    label: 'Recovery code',
    action: 'Continue',
    wrong: 'This recovery code is wrong. It has 32 letters and digits.',
  },
  passkey: {
    create: {
      title: 'Protect your keys with a passkey',
      hint: 'A passkey on this device or a security key opens your keys on other devices and sites, by one touch.',
      action: 'Create a passkey',
    },
    get: {
      title: 'Use your passkey',
      hint: 'One touch shows that it is you, and opens your keys here.',
      action: 'Use the passkey',
    },
    again: {
      title: 'Touch the passkey once more',
      hint: 'The passkey was created. The second touch makes it open your keys.',
      action: 'Touch it once more',
    },
    without: 'Continue without',
    orCode: { create: 'Use a recovery code instead', get: 'Use the recovery code' },
    none: 'This browser cannot use a passkey here.',
    refused: 'The passkey was not accepted. Try it once more.',
    closed: 'This passkey does not open your keys. Enter the recovery code.',
    faults: {
      again: 'The passkey was not used. Try again.',
      known: 'This device has a passkey for you already.',
    },
  },
  passkeys: {
    title: 'Your passkeys',
    hint: 'Each one proves that it is you, and opens your keys on other devices and sites.',
    dates: (created: string, used: string | undefined) =>
      used === undefined ? `Added ${created}` : `Added ${created}, used ${used}`,
    last: 'The last way in',
    closed: 'It does not open your keys. If it should, remove it and add it again.',
    remove: 'Remove',
    removes: (name: string) => `Remove ${name}`,
    code: 'There is a recovery code, too.',
    noCode: 'There is no recovery code.',
    add: 'Add a passkey',
    newCode: 'Make a new recovery code',
    firstCode: 'Make a recovery code',
    done: 'Done',
  },
  rotate: {
    title: 'Make a new key for credentials',
    hint: 'Your present key is on another device, without a backup. Credentials from before stay unreadable here.',
    action: 'Make a new key',
  },
  replace: {
    title: 'Replace your account',
    hint: 'Another key owns your present account. A new account of the key in this browser takes its place.',
    action: 'Replace it',
  },
  account: 'Account',
  name: {
    title: 'Name your core id',
    label: 'Name',
    hint: '3 to 32 letters a to z, digits and hyphens. Leave it empty for an id without a name.',
    action: 'Claim',
  },
  sign: {
    title: 'Sign a message',
    action: 'Sign',
    message: 'Message',
    bytes: 'Message, bytes in hex',
    typed: (type: string) => `Typed data: ${type}`,
    domain: 'For',
  },
  transaction: {
    title: 'Confirm a transaction',
    batch: (count: number) => `Confirm ${count} transactions`,
    action: 'Confirm',
    to: 'To',
    value: 'Amount',
    coins: (amount: string, wei: string) => `${amount} of the chain’s own coin (${wei} wei)`,
    data: 'Data',
    deploys: 'The first transaction also sets up your account on the chain.',
  },
  issue: {
    title: (credential: string) => `Accept ${credential}`,
    action: 'Accept',
    issuer: 'Issuer',
    did: 'DID of the issuer',
    declined: (partner: string) => `You have declined ${partner} before. Accepting takes that back.`,
  },
  trade: {
    pays: 'You pay',
    gets: 'You get',
    atLeast: 'At least',
    from: 'From',
    to: 'To',
    balance: (amount: string) => `You have ${amount}.`,
    quote: (pays: string, gets: string) => `${pays} for ${gets}.`,
    least: (amount: string) => `You get at least ${amount}.`,
    value: (amount: string) => `That is ${amount}.`,
    amount: 'This is no amount that can be used.',
    same: 'Choose two different tokens.',
    tooMuch: 'You have less than that.',
    empty: 'Nothing can be had for this amount right now.',
    moved: 'The price has moved by more than 0.5 %. Nothing was swapped.',
  },
  swap: {
    title: 'Swap tokens',
    hint: 'The quote is renewed every ten seconds.',
    action: 'Swap',
  },
  onRamp: {
    title: 'Get tokens',
    hint: 'This is a test network: no money is paid, and these tokens have no value.',
    action: 'Get tokens',
  },
  link: {
    title: (partner: string) => `Go to ${partner}`,
    hint: (partner: string, email: string) =>
      `${partner} takes you to another site. There you can continue as ${email}.`,
    page: 'Page',
    action: 'Go there',
  },
  arrival: {
    title: (email: string) => `Continue as ${email}?`,
    hint: (partner: string) => `You come from another site. This logs you in to ${partner}.`,
    action: 'Continue',
  },
  window: {
    title: 'Continue in a window',
    hint: 'What you approve is shown in a window of its own, which no other page can change.',
    action: 'Open the window',
    waiting: 'Continue in the window that has opened.',
    show: 'Show the window',
  },
  faults: {
    OFFLINE: 'The network cannot be reached. Check the connection and try again.',
    TIMEOUT: 'This took too long. Try again.',
    RATE_LIMITED: 'There were too many attempts. Wait a few minutes and try again.',
    INTERNAL_SERVER_ERROR: 'This does not work right now. Try again shortly.',
    late: 'This code can no longer be used. Ask for another one.',
    code: 'This code is wrong.',
    email: 'This is no e-mail address that can be used.',
    name: 'This name cannot be used: 3 to 32 letters a to z, digits and hyphens.',
    taken: 'This name is taken.',
    gone: 'This passkey is no longer there.',
    last: 'This is the last way in. Add another one first.',
    full: 'There are as many passkeys as there can be. Remove one first.',
    unpaid: 'Nobody pays the fee for this at the moment. Try again later.',
    other: 'The gateway refused this.',
  },
};

export type Texts = typeof en;

/** One sentence about an error that may pass, such as of the network; undefined for others. */
export const passingFault = ({ faults }: Pick<Texts, 'faults'>, { name }: CoreServiceError): string | undefined =>
  (faults as Partial<Record<string, string>>)[name];

/** Texts of another language. Those that it lacks are shown in English. */
export type Translation<T = Texts> = { [K in keyof T]?: T[K] extends object ? Translated<T[K]> : string };
type Translated<T> = T extends (...args: infer A) => string ? (...args: A) => string : Translation<T>;

const LANGUAGES = { en, de: filled(en, de satisfies Translation) };

/** A translation with the English texts that it lacks. */
function filled<T extends object>(english: T, translation: object): T {
  const given = translation as Record<string, unknown>;
  const entries = Object.entries(english).map(([name, text]) => {
    const own = given[name] ?? text;
    return [name, typeof text === 'object' && text !== null ? filled(text, own as object) : own];
  });
  return Object.fromEntries(entries) as T;
}

/** The texts of a locale, by its language. */
export const textsOf = (locale: string): Texts => inLanguageOf(locale, LANGUAGES);
