// What ends a program is one sentence, not a stack: programs import this.
process.on('uncaughtException', ({ message, cause }: Error) => {
  console.error(cause instanceof Error ? `${message}: ${cause.message}` : message);
  process.exit(1);
});
