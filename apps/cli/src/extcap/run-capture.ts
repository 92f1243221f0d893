import { createWriteStream } from 'node:fs'
import type { OperationRequest } from '@tapdeck/api'
import { readPackets } from '../capture/read-packets.ts'
import { listeningReader, StreamNotes } from '../capture/stream-notes.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { Toolbar } from './toolbar.ts'

export interface CaptureOptions {
  readonly fifo: string
  readonly controlIn: string | undefined
  readonly controlOut: string | undefined
  readonly signal: AbortSignal
  note(line: string): void
}

/** Writes packets into the pipe of Wireshark until it closes it, with a new filter where the toolbar sets one. */
export async function runCapture(
  hub: HubClient,
  request: OperationRequest<'stream_packets'>,
  { fifo, controlIn, controlOut, signal, note }: CaptureOptions,
): Promise<void> {
  let kfl = request.kfl ?? ''
  let changed = new AbortController()
  const toolbar = new Toolbar(controlIn, controlOut, (given) => {
    if (given === kfl) return
    kfl = given
    changed.abort()
  })
  toolbar.show(kfl)
  const closed = new AbortController()
  const stream = createWriteStream(fifo)
  // Wireshark ends a capture by closing the pipe.
  stream.on('error', () => closed.abort())
  const end = AbortSignal.any([signal, closed.signal])
  const write = (bytes: Uint8Array) => new Promise<void>((resolve) => stream.write(bytes, () => resolve()))
  while (!end.aborted) {
    changed = new AbortController()
    const report = (line: string) => {
      toolbar.log(line)
      note(`tapdeck: ${line}`)
    }
    const notes = new StreamNotes(report)
    const reader = listeningReader(notes)
    const filter = kfl
    try {
      await readPackets(
        hub,
        { ...request, kfl: filter === '' ? undefined : filter },
        { signal: AbortSignal.any([end, changed.signal]) },
        (blocks) => {
          reader.push(blocks)
          return write(blocks)
        },
      )
      notes.noteEnd()
      if (!changed.signal.aborted) break
    } catch (error) {
      // A wrong filter in the toolbar leaves the capture open for the next one; a first request fails at once.
      if (filter === (request.kfl ?? '')) throw error
      report(error instanceof Error ? error.message : String(error))
      await Promise.race([aborted(end), aborted(changed.signal)])
    }
  }
  stream.end()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
