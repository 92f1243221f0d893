import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../command-failed.ts'

const pollMs = 50

/**
 * The port itself where it is free, a free one in place of 0. Rejects with `CommandFailed` where it is taken; the hint says
 * which hub uses the data folder, as it may be the one that listens.
 */
export function freePort(host: string, wanted: number, running?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      const taken = code === 'EADDRINUSE'
      const why = taken
        ? `port ${wanted} on ${host} is taken`
        : `cannot listen on ${host}:${wanted}: ${message}`
      const hint = running ?? 'Is Tapdeck running already? --port chooses another.'
      reject(new CommandFailed(why, taken ? { hint } : {}))
    })
    probe.listen(wanted, host, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : wanted))
    })
  })
}

/** Resolves when a server listens on the port, or at the signal. */
export async function someoneListens(host: string, port: number, signal: AbortSignal): Promise<void> {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  while (!signal.aborted && !(await connects(near, port)))
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
