// The texts of what conditions and credentials are said to do, in all languages. They are loaded with the operations that need them.
import { inLanguageOf } from './language.js';

const en = {
  verify: {
    title: (program: string) => `Prove that you meet ${program}`,
    verifier: 'Verifier',
    credential: 'Credential',
    of: (credential: string, issuer: string) => `${credential} (${issuer})`,
    conditions: 'Conditions',
    disclosed: 'What is disclosed',
    nothing: 'That you meet the conditions, and with which credential',
    onlyHeld: 'That you have this credential',
    value: (field: string, value: string) => `${field}: ${value}`,
    side: (field: string) => `${field}: on which side of the excluded range it is`,
    later: (partner: string) => `Later, ${partner} also learns if this credential is revoked or expires`,
    action: 'Prove it',
    cakFact: 'For compliance',
    cakHolds: (verifier: string, issuer: string) =>
      `${verifier} gets a key. With it, what ${issuer} has stored about you for compliance can be read.`,
    cak: (verifier: string) => `${verifier} may have this key.`,
  },
  comparison: {
    exists: 'is there',
    eq: (value: string) => `is ${value}`,
    ne: (value: string) => `is not ${value}`,
    gt: (value: string) => `more than ${value}`,
    gte: (value: string) => `at least ${value}`,
    lt: (value: string) => `less than ${value}`,
    lte: (value: string) => `at most ${value}`,
    after: (value: string) => `after ${value}`,
    from: (value: string) => `on ${value} or later`,
    before: (value: string) => `before ${value}`,
    until: (value: string) => `on ${value} or earlier`,
    in: (values: string) => `one of ${values}`,
    nin: (values: string) => `none of ${values}`,
    between: (low: string, high: string) => `from ${low} to ${high}`,
    nonbetween: (low: string, high: string) => `not from ${low} to ${high}`,
    true: 'yes',
    false: 'no',
  },
  unmet: {
    title: (program: string) => `You do not meet ${program}`,
    tells: {
      NotFound: (partner: string) => `Continue tells ${partner} that you have no credential that it accepts.`,
      'Non-Compliant': (partner: string) =>
        `Continue tells ${partner} that you have a credential that it accepts, but do not prove that you meet the conditions. It learns no values.`,
      Expired: (partner: string) => `Continue tells ${partner} that your credential has expired.`,
      Revoked: (partner: string) => `Continue tells ${partner} that your credential was revoked.`,
      Revoking: (partner: string) => `Continue tells ${partner} that your credential is being revoked.`,
    },
    has: 'Your credentials',
    none: 'You have no credential that it accepts.',
    ends: {
      EXPIRE: (credential: string) => `${credential} has expired.`,
      REMOVE: (credential: string) => `${credential} was revoked.`,
      WAIT_REMOVE: (credential: string) => `${credential} is being revoked.`,
    },
    unusable: (credential: string) => `${credential} cannot be proven with the keys in this browser.`,
    missing: (condition: string) => `Not met: ${condition}`,
    action: 'Continue',
    link: 'How to get what is missing',
  },
  notice: {
    title: 'This does not work',
    again: 'Try again',
    close: 'Understood',
    differs: (partner: string, issuer: string) =>
      `${partner} asks for other content than ${issuer} has for you. Nothing was issued.`,
    nothing: (issuer: string) => `${issuer} has no such credential for you.`,
    away: (issuer: string) => `${issuer} does not respond.`,
    unreadable: (issuer: string) => `What ${issuer} has for you cannot be read in this browser.`,
  },
};

export type Consents = typeof en;

const de: Consents = {
  verify: {
    title: (program: string) => `Nachweisen, dass Sie ${program} erfüllen`,
    verifier: 'Prüfer',
    credential: 'Nachweis',
    of: (credential: string, issuer: string) => `${credential} (${issuer})`,
    conditions: 'Bedingungen',
    disclosed: 'Was offengelegt wird',
    nothing: 'Dass Sie die Bedingungen erfüllen, und mit welchem Nachweis',
    onlyHeld: 'Dass Sie diesen Nachweis haben',
    value: (field: string, value: string) => `${field}: ${value}`,
    side: (field: string) => `${field}: auf welcher Seite des ausgeschlossenen Bereichs es liegt`,
    later: (partner: string) => `${partner} erfährt auch, wenn dieser Nachweis später widerrufen wird oder abläuft`,
    action: 'Nachweisen',
    cakFact: 'Zur Einhaltung von Vorschriften',
    cakHolds: (verifier: string, issuer: string) =>
      `${verifier} bekommt einen Schlüssel. Damit lässt sich lesen, was ${issuer} zur Einhaltung von Vorschriften über Sie gespeichert hat.`,
    cak: (verifier: string) => `${verifier} darf diesen Schlüssel haben.`,
  },
  comparison: {
    exists: 'ist vorhanden',
    eq: (value: string) => `ist ${value}`,
    ne: (value: string) => `ist nicht ${value}`,
    gt: (value: string) => `mehr als ${value}`,
    gte: (value: string) => `mindestens ${value}`,
    lt: (value: string) => `weniger als ${value}`,
    lte: (value: string) => `höchstens ${value}`,
    after: (value: string) => `nach dem ${value}`,
    from: (value: string) => `am ${value} oder später`,
    before: (value: string) => `vor dem ${value}`,
    until: (value: string) => `am ${value} oder früher`,
    in: (values: string) => `eines von ${values}`,
    nin: (values: string) => `keines von ${values}`,
    between: (low: string, high: string) => `von ${low} bis ${high}`,
    nonbetween: (low: string, high: string) => `nicht von ${low} bis ${high}`,
    true: 'ja',
    false: 'nein',
  },
  unmet: {
    title: (program: string) => `Sie erfüllen ${program} nicht`,
    tells: {
      NotFound: (partner: string) =>
        `Mit „Weiter“ erfährt ${partner}, dass Sie keinen Nachweis haben, der angenommen wird.`,
      'Non-Compliant': (partner: string) =>
        `Mit „Weiter“ erfährt ${partner}, dass Sie einen Nachweis haben, der angenommen wird, aber nicht nachweisen, dass Sie die Bedingungen erfüllen. Werte erfährt ${partner} nicht.`,
      Expired: (partner: string) => `Mit „Weiter“ erfährt ${partner}, dass Ihr Nachweis abgelaufen ist.`,
      Revoked: (partner: string) => `Mit „Weiter“ erfährt ${partner}, dass Ihr Nachweis widerrufen wurde.`,
      Revoking: (partner: string) => `Mit „Weiter“ erfährt ${partner}, dass Ihr Nachweis gerade widerrufen wird.`,
    },
    has: 'Ihre Nachweise',
    none: 'Sie haben keinen Nachweis, der angenommen wird.',
    ends: {
      EXPIRE: (credential: string) => `${credential} ist abgelaufen.`,
      REMOVE: (credential: string) => `${credential} wurde widerrufen.`,
      WAIT_REMOVE: (credential: string) => `${credential} wird gerade widerrufen.`,
    },
    unusable: (credential: string) => `${credential} lässt sich mit den Schlüsseln in diesem Browser nicht nachweisen.`,
    missing: (condition: string) => `Nicht erfüllt: ${condition}`,
    action: 'Weiter',
    link: 'So bekommen Sie, was fehlt',
  },
  notice: {
    title: 'Das geht nicht',
    again: 'Erneut versuchen',
    close: 'Verstanden',
    differs: (partner: string, issuer: string) =>
      `${partner} verlangt einen anderen Inhalt, als ${issuer} für Sie hat. Es wurde nichts ausgestellt.`,
    nothing: (issuer: string) => `${issuer} hat keinen solchen Nachweis für Sie.`,
    away: (issuer: string) => `${issuer} antwortet nicht.`,
    unreadable: (issuer: string) => `Was ${issuer} für Sie hat, lässt sich in diesem Browser nicht lesen.`,
  },
};

const LANGUAGES = { en, de };

/** The texts of a locale, by its language; English where there are none. */
export const consentsOf = (locale: string): Consents => inLanguageOf(locale, LANGUAGES);
