import { BpfError, BpfFilter } from '@tapdeck/bpf'
import { flag, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { packetRequest } from '../capture/packet-request.ts'
import { command, exitStatus } from '../command.ts'
import { describeInterfaces, describeLinks, describeOptions } from '../extcap/description.ts'
import { extcapFolder, installLauncher } from '../extcap/install.ts'
import { listInterfaces, selectionOf } from '../extcap/interfaces.ts'
import { runCapture } from '../extcap/run-capture.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { windowOptions } from '../hub/window-options.ts'
import { withStopSignal } from '../parts/part.ts'
import { tapdeckVersion } from '../version.ts'

const { json: _, ...connection } = connectionOptions

export const extcap = command({
  name: 'extcap',
  summary: 'Shows nodes, namespaces, workloads and pods as interfaces in Wireshark and tshark.',
  operations: ['stream_packets'],
  options: {
    install: flag('Installs it for this user, with the options for the hub that are given.'),
    'extcap-interfaces': flag('Lists the interfaces.'),
    'extcap-version': text('VERSION', 'The version of Wireshark.'),
    'extcap-interface': text('NAME', 'The interface that is meant.'),
    'extcap-dlts': flag('Lists the link types of an interface.'),
    'extcap-config': flag('Lists the options of an interface.'),
    'extcap-capture-filter': text('EXPR', 'A BPF expression. Without --capture it is only checked.'),
    'extcap-control-in': text('FILE', 'The pipe that the toolbar writes to.'),
    'extcap-control-out': text('FILE', 'The pipe that the toolbar reads from.'),
    capture: flag('Captures.'),
    fifo: text('FILE', 'The pipe that packets are written to.'),
    kfl: text('EXPR', 'Only the connections of matching calls.'),
    ...windowOptions,
    'tls-keys': flag('With the TLS secrets. Needs tls:read.'),
    ...connection,
  },
  notes: 'Wireshark calls it; people only call `tapdeck extcap --install`.',
  async run(input) {
    const { options, terminal, env } = input
    if (options.install) {
      const path = await installLauncher(
        process.platform,
        extcapFolder(process.platform, env),
        given(options),
      )
      await terminal.out(`Wrote ${path}. Wireshark shows the interfaces after Capture, Refresh Interfaces.\n`)
      return exitStatus.done
    }
    if (options['extcap-interfaces']) {
      const interfaces = await listInterfaces(openHub(input), (line) => terminal.note(line))
      await terminal.out(describeInterfaces(interfaces, tapdeckVersion))
      return exitStatus.done
    }
    const name = options['extcap-interface']
    const selection = name === undefined ? undefined : selectionOf(name)
    if (selection === undefined)
      throw new UsageError(
        name === undefined
          ? 'expected --install, --extcap-interfaces or --extcap-interface'
          : `--extcap-interface: there is no interface "${name}"`,
      )
    const filter = options['extcap-capture-filter'] || undefined
    if (options.capture) {
      if (options.fifo === undefined) throw new UsageError('--capture needs --fifo')
      const lists = { node: [], namespace: [], workload: [], pod: [] }
      const request = { ...packetRequest({ ...withoutEmpty(options), ...lists, bpf: filter }), ...selection }
      const { fifo } = options
      await withStopSignal((signal) =>
        runCapture(openHub(input), request, {
          ...{ fifo, signal, note: terminal.note },
          controlIn: options['extcap-control-in'] || undefined,
          controlOut: options['extcap-control-out'] || undefined,
        }),
      )
    } else if (options['extcap-dlts']) await terminal.out(describeLinks())
    else if (options['extcap-config']) await terminal.out(describeOptions())
    else if (filter !== undefined) await terminal.out(whyWrong(filter))
    return exitStatus.done
  },
})

/** Wireshark passes options that were left empty as empty texts. */
function withoutEmpty<Options extends object>(options: Options): Options {
  const all = Object.entries(options).map(([name, value]) => [name, value === '' ? undefined : value])
  return Object.fromEntries(all) as Options
}

/** Wireshark takes any output for the error of the filter. */
function whyWrong(filter: string): string {
  try {
    BpfFilter.parse(filter)
    return ''
  } catch (error) {
    if (error instanceof BpfError) return `${error.message}\n`
    throw error
  }
}

/** The options for the hub, as words. */
function given(options: Readonly<Record<string, unknown>>): string[] {
  if (options.token !== undefined)
    throw new UsageError('--token would be stored in a file that others may read: give --token-file')
  return Object.keys(connection).flatMap((name) => {
    const value = options[name]
    return typeof value === 'string' ? [`--${name}`, value] : []
  })
}
