// The worker of the frame. It only loads its program: chunks that are loaded later import what they share with that, and WebKit evaluates the entry
// of a worker a second time when another module imports it. There would be two vaults, and the replies of the first one would be lost.

import('./worker-vault.js').catch((error: unknown) => {
  // The frame hears of an error that is thrown, not of a rejection.
  setTimeout(() => {
    throw error;
  });
});
