import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { OperationRequest } from '@tapdeck/api'
import { text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { CommandFailed } from '../command-failed.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showSnapshot } from '../hub/show-snapshot.ts'

export const importCaptures = command({
  name: 'import',
  summary: 'Makes a snapshot out of capture files on a running hub.',
  operations: ['import_snapshot'],
  takes: 'FILE…',
  words: [1, 1000],
  options: {
    name: text('NAME', 'Name of the snapshot. Needed.'),
    inventory: text(
      'FILE',
      'Names of the addresses, in the format of tap.inventory, stored with the snapshot.',
    ),
    node: text('NAME', 'Node of the packets. Default: the name of each file.'),
    ...hubOptions,
  },
  notes:
    'Files are pcap or pcapng, also compressed with gzip or zstd; `-` is standard input. Each file becomes a node of the snapshot.',
  async run(input) {
    const { options, words, terminal } = input
    if (options.name === undefined) throw new UsageError('expected --name NAME')
    for (const file of words) if (file !== '-') await access(file).catch(() => missing(file))
    if (options.inventory !== undefined)
      await access(options.inventory).catch(() => missing(options.inventory!))
    const hub = openHub(input)
    const request = { name: options.name, files: words, node: options.node, inventory: options.inventory }
    await importAll(hub, request)
    const snapshot = await hub.call('get_snapshot', { name: options.name })
    await showSnapshot(snapshot, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})

interface ImportRequest {
  readonly name: string
  readonly files: readonly string[]
  readonly node: string | undefined
  readonly inventory: string | undefined
}

/** All of it or nothing: a snapshot that lacks a part would stay open, and its name taken. */
async function importAll(hub: HubClient, { name, files, node, inventory }: ImportRequest): Promise<void> {
  const nodes = nodeNames(files, node)
  let begun = false
  try {
    for (const [at, file] of files.entries()) {
      await send(hub, file, {
        name,
        node: nodes[at],
        append: at > 0 ? 'true' : undefined,
        more: at < files.length - 1 || inventory !== undefined ? 'true' : undefined,
      })
      begun = true
    }
    if (inventory !== undefined) await send(hub, inventory, { name, append: 'true', kind: 'inventory' })
  } catch (error) {
    if (begun) await hub.call('delete_snapshot', { name }).catch(() => undefined)
    throw error
  }
}

async function send(
  hub: HubClient,
  file: string,
  request: OperationRequest<'import_snapshot'>,
): Promise<void> {
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1 << 20 })
  let unread: Error | undefined
  source.once('error', (error: Error) => {
    unread = error
  })
  try {
    await hub.send('import_snapshot', request, Readable.toWeb(source) as ReadableStream<Uint8Array>)
  } catch (error) {
    if (unread) throw new CommandFailed(`${file}: ${unread.message}`)
    if (!(error instanceof CommandFailed) || error.problem?.code !== 'not_a_capture') throw error
    throw new CommandFailed(`${file}: ${error.message}`, { status: exitStatus.noCapture })
  }
}

function missing(file: string): never {
  throw new UsageError(`${file} does not exist or may not be read`)
}

/** A node for each file: the one that was named, or the files' own names; numbered where they would be the same. */
export function nodeNames(files: readonly string[], named: string | undefined): string[] {
  const taken = new Set<string>()
  return files.map((file) => {
    const own = basename(file).replace(/(\.pcapng|\.pcap|\.cap)?(\.gz)?$/i, '')
    const base = named ?? (file === '-' ? 'import' : own.replaceAll(/[/\s\p{Cc}]+/gu, '-') || 'import')
    let name = base
    for (let count = 2; taken.has(name); count++) name = `${base}-${count}`
    taken.add(name)
    return name
  })
}
