import type { Inventory } from '@tapdeck/inventory'
import { MOST_THREADS } from '@tapdeck/parallel'
import { choice, flag, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { dissectFiles } from '../dissect/dissect-files.ts'
import { compileFilter } from '../dissect/filter-option.ts'
import { Progress } from '../dissect/progress.ts'
import { usefulThreads } from '../dissect/useful-threads.ts'
import { writeNdjson, writeSummary, writeTable } from '../dissect/write-calls.ts'

/** Beside the command's own bundle. */
const threadEntry = new URL('./tapdeck-dissect.mjs', import.meta.url)

export const dissect = command({
  name: 'dissect',
  summary: 'Dissects capture files without any server and prints their calls in order of time.',
  takes: 'FILE…',
  words: [1, 100_000],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    format: choice(
      ['ndjson', 'table', 'summary'],
      'ndjson: one call a line in full; table; summary: one JSON object of counts. A table on a screen, else ndjson.',
    ),
    inventory: text('FILE', 'Names addresses as pods and services (YAML or JSON).'),
    threads: whole(
      'N',
      'Threads that share the work; the calls are the same with any number. For large files as many as there are cores; with fewer than four cores, from 256 MB on.',
      1,
      MOST_THREADS,
    ),
    json: flag('The same as --format ndjson.'),
  },
  notes:
    'Files are pcap or pcapng, also packed with gzip or zstd; `-` is standard input. Files that follow one another in time are read as one capture. Damage is counted in `loss` and does not change the exit status.',
  async run({ options, words, terminal }) {
    const format = options.format ?? (terminal.isScreen && !options.json ? 'table' : 'ndjson')
    const now = Date.now()
    const kfl = options.kfl ?? ''
    compileFilter(kfl, now)
    const inventory = await inventoryOf(options.inventory)
    const progress = new Progress(terminal)
    const shape = ({ ndjson: 'full', table: 'compact', summary: 'none' } as const)[format]
    const dissected = await dissectFiles(
      words,
      { kfl, now, inventory, shape },
      { count: options.threads ?? (await usefulThreads(words).catch(tellUnreadable)), entry: threadEntry },
      {
        progress: (bytes, total) => progress.report(bytes, total),
        damaged: (file, reason) => terminal.note(`${file}: ${reason}`),
        fault: (protocol, error) => terminal.note(`A fault in ${protocol}: ${error}`),
      },
    ).catch(tellUnreadable)
    progress.done()
    try {
      if (format === 'ndjson') await writeNdjson(dissected, terminal)
      else if (format === 'table') await writeTable(dissected, terminal)
      else await writeSummary(dissected, terminal)
    } finally {
      dissected.sheet.close()
    }
    for (const stranger of dissected.strangers) terminal.note(`tapdeck dissect: ${stranger}`)
    return dissected.strangers.length > 0 ? exitStatus.noCapture : exitStatus.done
  },
})

/** Reading YAML takes long to load, and few have an inventory. */
async function inventoryOf(file: string | undefined): Promise<Inventory> {
  if (file === undefined) return { pods: [], services: [] }
  const { readInventory } = await import('../dissect/inventory-file.ts')
  try {
    return readInventory(file)
  } catch (error) {
    return tellUnreadable(error)
  }
}

function tellUnreadable(error: unknown): never {
  throw unreadable(error) ?? error
}

/** A file that is not there or not ours to read is a mistake in the command line. */
function unreadable(error: unknown): UsageError | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new UsageError(`${path} does not exist`)
  if (code === 'EACCES' || code === 'EPERM') return new UsageError(`${path} may not be read`)
  if (code === 'EISDIR') return new UsageError(`${path ?? 'a folder'} is no file`)
  return undefined
}
