import { createWriteStream } from 'node:fs'
import { parseDuration } from '@tapdeck/units'
import { choice, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { PacketPrinter } from '../capture/packet-printer.ts'
import { packetOptions, packetRequest } from '../capture/packet-request.ts'
import { readPackets } from '../capture/read-packets.ts'
import { listeningReader, StreamNotes } from '../capture/stream-notes.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, hubOptions, openHub } from '../hub/hub-options.ts'
import { withStopSignal } from '../parts/stop-request.ts'

/** A timer takes no more. */
const MAX_TIMER = 2 ** 31 - 1

export const capture = command({
  name: 'capture',
  summary: 'Streams packets, live or of a past window: as text on a terminal, else as pcapng for Wireshark.',
  operations: ['stream_packets'],
  options: {
    ...packetOptions,
    write: text('FILE', 'Writes pcapng to this file; `-` is standard output.', { short: 'w' }),
    format: choice(
      ['pcapng', 'text', 'json'],
      'pcapng; text: a line for each packet; json: an object for each packet. Default: text on a terminal, else pcapng.',
    ),
    count: whole('N', 'Ends after so many packets.', 1, Number.MAX_SAFE_INTEGER),
    duration: text('DURATION', 'Ends after this time, such as 30s.'),
    utc: hubOptions.utc,
    ...connectionOptions,
    namespace: packetOptions.namespace,
    json: { ...hubOptions.json, doc: 'The same as --format json.' },
  },
  notes:
    'Example: tapdeck capture --namespace shop | wireshark -k -i -. Live packets come about half a second after they were captured. What is missing is reported on standard error.',
  async run(input) {
    const { options, terminal } = input
    const { write, count } = options
    const format =
      options.format ?? (options.json ? 'json' : write === undefined && terminal.isScreen ? 'text' : 'pcapng')
    if (write !== undefined && format !== 'pcapng') throw new UsageError('--write writes pcapng')
    if (format === 'pcapng' && terminal.isScreen && (write === undefined || write === '-'))
      throw new UsageError('pcapng cannot be shown on a terminal: name a file with --write, or pipe it')
    const request = packetRequest(options)
    const duration = durationOf(options.duration)
    const hub = openHub(input)
    const notes = new StreamNotes((notice) => terminal.note(`tapdeck capture: ${notice}`))
    const packets = await withStopSignal(async (stop) => {
      const signal = duration === undefined ? stop : AbortSignal.any([stop, AbortSignal.timeout(duration)])
      if (format === 'pcapng') {
        const reader = listeningReader(notes)
        const output = write === undefined || write === '-' ? { out: terminal.out } : fileOutput(write)
        return readPackets(hub, request, { count, signal }, (blocks) => {
          reader.push(blocks)
          return output.out(blocks)
        })
      }
      const printer = new PacketPrinter(notes, { format, utc: options.utc })
      return readPackets(hub, request, { count, signal }, (blocks) => terminal.out(printer.print(blocks)))
    })
    notes.noteEnd()
    if (terminal.noteIsScreen) terminal.note(`${packets} packets`)
    return exitStatus.done
  },
})

function fileOutput(file: string): { out(bytes: Uint8Array): Promise<void> } {
  const stream = createWriteStream(file, { mode: 0o600 })
  return {
    out: (bytes) =>
      new Promise((resolve, reject) => stream.write(bytes, (error) => (error ? reject(error) : resolve()))),
  }
}

function durationOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const duration = parseDuration(given)
  if (!duration) throw new UsageError(`--duration: expected a duration such as 30s or 5m, not "${given}"`)
  return Math.min(duration, MAX_TIMER)
}
