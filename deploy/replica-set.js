// Run by mongosh once the three nodes answer: makes the replica set, or finds it made, and waits for a primary.
const { readFileSync } = require('node:fs');

// From the file: what is on a command line can be read by every process of the machine.
db.getSiblingDB('admin').auth('gateway', readFileSync('/run/secrets/mongo_password', 'utf8').trim());

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
print('replica set rs0 is ready');
