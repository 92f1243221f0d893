import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { choice, flag, text, texts } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const snapshotPcap = command({
  name: 'snapshot pcap',
  summary: 'Downloads the packets of a snapshot as one capture file.',
  operations: ['export_snapshot_pcap'],
  takes: 'NAME',
  words: [1, 1],
  options: {
    output: text('FILE', 'Where to write it. Default: standard output.', { short: 'o' }),
    format: choice(['pcapng', 'pcap'], 'The file format. Default: pcapng.'),
    node: texts('NAME', 'Only this node.'),
    start: text('TIME', 'From this time on: RFC 3339 or Unix milliseconds.'),
    end: text('TIME', 'Up to this time.'),
    bpf: text('EXPR', 'Only packets that match, such as "tcp port 80 and host 10.0.0.1".'),
    kfl: text('EXPR', 'Only the connections of matching calls, around the time of these calls.'),
    dissection: text('NAME', 'Where calls are looked up. Default: the newest completed one.'),
    call: text('ID', 'Only the connection of this call.'),
    'tls-keys': flag(
      'With the TLS secrets of the snapshot, so that Wireshark shows what was encrypted. Needs tls:read.',
    ),
    ...connectionOptions,
  },
  async run(input) {
    const { options, words, terminal } = input
    if (options.output === undefined && terminal.isScreen)
      throw new UsageError('a capture cannot be shown on a terminal: name a file with -o, or pipe it')
    if (options.output === undefined && options.json)
      throw new UsageError('--json describes the file written with -o')
    const hub = openHub(input)
    const response = await hub.send('export_snapshot_pcap', {
      name: words[0]!,
      format: options.format,
      nodes: options.node.length > 0 ? options.node.join(',') : undefined,
      start_time: options.start,
      end_time: options.end,
      bpf_filter: options.bpf,
      kfl: options.kfl,
      dissection: options.dissection,
      call: options.call,
      tls_keys: options['tls-keys'] ? 'true' : undefined,
    })
    let bytes = 0
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length
          yield chunk
        }
      } catch (error) {
        hub.brokeOff(error)
      }
    }
    const packets = Readable.from(count(response.body as AsyncIterable<Uint8Array>))
    if (options.output === undefined) await pipeline(packets, process.stdout, { end: false })
    else await pipeline(packets, createWriteStream(options.output))
    if (options.json) await showJson(terminal, { file: options.output, bytes })
    else if (options.output !== undefined) terminal.note(`Wrote ${bytes} bytes to ${options.output}`)
    return exitStatus.done
  },
})
