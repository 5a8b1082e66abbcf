// Older names of terms.ts, until the last import of them has moved.
export { sortNameOf as foldName, termsOf } from './terms.js';
