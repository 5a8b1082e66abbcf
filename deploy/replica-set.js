// Run by mongosh once the three nodes answer: makes the replica set and the gateway's user, or finds them made.
const { readFileSync } = require('node:fs');

const admin = db.getSiblingDB('admin');
// From files: what is on a command line can be read by every process of the machine.
const secret = (name) => readFileSync(`/run/secrets/${name}`, 'utf8').trim();
const signIn = (user, password) => {
  try {
    return admin.auth(user, password).ok === 1;
  } catch {
    return false;
  }
};

const hasRoot = signIn('root', secret('mongo_root_password'));
// Of sets made by earlier versions, the gateway's user was the root user.
if (!hasRoot && !signIn('gateway', secret('mongo_password'))) throw new Error('neither root nor gateway may sign in');

const members = ['mongo1', 'mongo2', 'mongo3'].map((host, index) => ({
  _id: index,
  host: `${host}:27017`,
  priority: index === 0 ? 2 : 1,
}));

try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members });
}

for (let waited = 0; ; waited += 1) {
  const ready = rs.status().members.filter((member) => ['PRIMARY', 'SECONDARY'].includes(member.stateStr));
  if (ready.length === 3 && ready.some((member) => member.stateStr === 'PRIMARY')) break;
  if (waited >= 90) throw new Error('the replica set has no primary and two secondaries after 90 s');
  sleep(1000);
}

const roles = [{ role: 'readWrite', db: 'credential_gateway' }];
if (!hasRoot) {
  admin.createUser({ user: 'root', pwd: secret('mongo_root_password'), roles: ['root'] });
  admin.auth('root', secret('mongo_root_password'));
}
if (admin.getUser('gateway')) admin.updateUser('gateway', { roles });
else admin.createUser({ user: 'gateway', pwd: secret('mongo_password'), roles });
print('replica set rs0 is ready, and gateway may read and write credential_gateway');
