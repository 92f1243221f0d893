import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Boot } from '@tapdeck/config'
import { bootVariable } from '@tapdeck/config/boot'

/** The processes that make up Tapdeck. Each is a bundle beside this one. */
export type PartName = 'hub' | 'worker' | 'dissect-job'

/** Where the bundles are: beside the one that runs. */
const bundles = new URL('.', import.meta.url)
const patienceMs = 10_000

/**
 * Starts a part with its configuration. It gets a process group of its own, so that a Ctrl-C reaches it once, through
 * us; and a channel to us, whose end tells it that we are gone.
 */
export function startPart(
  name: PartName,
  boot: Boot,
  env: Readonly<Record<string, string>> = {},
  folder = bundles,
): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(new URL(`./${name}.mjs`, folder))], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env, [bootVariable]: JSON.stringify(boot) },
  })
}

/** Asks a part to end, and ends it where it does not within ten seconds or is asked again. */
export function stopPart(part: ChildProcess): void {
  if (part.killed) {
    part.kill('SIGKILL')
    return
  }
  part.kill()
  const timer = setTimeout(() => part.kill('SIGKILL'), patienceMs)
  part.once('exit', () => clearTimeout(timer))
}

/** Resolves with the exit status once the part has ended; a signal other than those that ask it to counts as failure. */
export function endOf(part: ChildProcess, whenStopped = 0): Promise<number> {
  return new Promise((resolve) => {
    part.once('error', () => resolve(1))
    part.once('exit', (code, signal) =>
      resolve(code ?? (signal === 'SIGTERM' || signal === 'SIGINT' ? whenStopped : 1)),
    )
  })
}
