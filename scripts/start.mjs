import { readFileSync } from 'node:fs'
import { runCli } from './run-cli.mjs'

// Ending npm, however hard, ends what npm was running.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid
  // Npm shares its process group with its scripts; the process that adopts an orphan does not.
  if (groupOf(npm) !== groupOf(process.pid)) process.exit(1)
  setInterval(() => process.ppid !== npm && process.kill(process.pid, 'SIGTERM'), 1000).unref()
}

await runCli(['up', ...process.argv.slice(2)])

/** Undefined where there is no /proc. */
function groupOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[2]
  } catch {
    return undefined
  }
}
