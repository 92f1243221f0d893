import { readFileSync } from 'node:fs'

/** Milliseconds that this thread has run on a processor. Unlike a clock, it does not count other work of the host. */
export function threadCpuMs(): number {
  const [ran] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')
  return Number(ran) / 1e6
}
