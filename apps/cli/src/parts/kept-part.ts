import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { BackOff } from '@tapdeck/units'
import { endOf, type PartName, stopPart } from './part.ts'

export interface KeptPartOptions {
  readonly name: PartName
  start(): ChildProcess
  /** Whether the end of this process is the end of the part, rather than an accident. */
  endsAll(part: ChildProcess): boolean
  note(line: string): void
  /** No part is started again after this. */
  readonly signal: AbortSignal
}

/** A part that is started again when it dies. */
export interface KeptPart {
  /** Asks the process that runs now to end; asked again, it is killed. */
  stop(): void
  /** The status of the last process, once there will be no other. */
  readonly end: Promise<number>
}

export function keepPart(options: KeptPartOptions): KeptPart {
  const delay = new BackOff({ firstMs: 500, maxMs: 30_000, stableMs: 60_000 })
  let part: ChildProcess | undefined
  const keep = async (): Promise<number> => {
    for (;;) {
      const started = Date.now()
      const running = options.start()
      part = running
      const status = await endOf(running)
      part = undefined
      if (options.signal.aborted || options.endsAll(running)) return status
      const wait = delay.after(Date.now() - started)
      const how = running.signalCode === null ? `with status ${status}` : `by ${running.signalCode}`
      options.note(`The ${options.name} ended ${how}; starting it again in ${wait / 1000} s`)
      await sleep(wait, undefined, { signal: options.signal }).catch(() => undefined)
      if (options.signal.aborted) return status
    }
  }
  return { stop: () => part && stopPart(part), end: keep() }
}
