// The spans of database commands, from the driver's events.
import type { Span } from '@opentelemetry/api';
import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Tracing } from '../base/monitoring/tracing.js';

/** A span for each command that runs for a traced request: its name and collection, never its values. The connection must monitor commands. */
export function traceCommands(connection: Connection, tracing: Tracing): void {
  const running = new Map<number, Span>();
  const begin = ({ commandName, command, databaseName, requestId }: CommandStartedEvent): void => {
    const named = command[commandName];
    const collection = typeof named === 'string' ? named : command.collection;
    const span = tracing.begin(typeof collection === 'string' ? `${commandName} ${collection}` : commandName, true, {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': commandName,
      ...(typeof collection === 'string' ? { 'db.collection.name': collection } : {}),
    });
    if (span) running.set(requestId, span);
  };
  const end = ({ requestId }: CommandSucceededEvent | CommandFailedEvent, failure?: string): void => {
    const span = running.get(requestId);
    if (span === undefined) return;
    running.delete(requestId);
    tracing.end(span, failure);
  };
  const listen = (): void => {
    connection
      .getClient()
      .on('commandStarted', begin)
      .on('commandSucceeded', (event) => end(event))
      .on('commandFailed', (event) => end(event, event.failure.name));
  };
  if (connection.readyState === 1) listen();
  else connection.once('connected', listen);
}
