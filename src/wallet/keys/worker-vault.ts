// The program of the worker, where keys are opened. The name of the worker is the id of the partner.
import { connect, WorkerMessenger } from 'penpal';
import { KeyStore } from './key-store.js';
import { Vault, type VaultMethods } from './vault.js';

const vault = new Vault(new KeyStore(self.name));
const methods = Object.fromEntries(
  Object.getOwnPropertyNames(Vault.prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => [
      name,
      (...args: never[]) => (vault[name as keyof VaultMethods] as (...args: never[]) => unknown)(...args),
    ]),
);
connect({ messenger: new WorkerMessenger({ worker: self as unknown as Worker }), methods });
