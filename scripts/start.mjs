import { runCli } from './run-cli.mjs'

// Whoever ends npm, however hard, means what npm was running.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid
  setInterval(() => process.ppid !== npm && process.kill(process.pid, 'SIGTERM'), 1000).unref()
}

await runCli(['up', ...process.argv.slice(2)])
