/**
 * The first thing that a hub or worker process does, before it loads anything else. What it creates is for its owner
 * alone, and it ends when the command that started it is gone. A part that runs replaces this by an orderly stop: it listens to
 * `disconnect` itself.
 */
export function beginPart(): void {
  process.umask(0o077)
  // The channel may have closed before this line. It is undefined where no command started this process.
  if (process.connected === false) process.exit(1)
  process.on('disconnect', () => {
    if (process.listenerCount('disconnect') === 1) process.exit(1)
  })
}
