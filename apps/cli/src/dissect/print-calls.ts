import { randomBytes } from 'node:crypto'
import type { Inventory } from '@tapdeck/inventory'
import { UsageError } from '../arguments/usage-error.ts'
import { type CommandInput, exitStatus } from '../command.ts'
import type { Terminal } from '../output/terminal.ts'
import { carriedNames } from './carried-names.ts'
import { dissectFiles } from './dissect-files.ts'
import type { dissectOptions } from './dissect-options.ts'
import { dissectPipe, isLivePipe, type PipeResult } from './dissect-pipe.ts'
import { compileFilter } from './filter-option.ts'
import { Progress } from './progress.ts'
import { readKeyLog } from './read-key-log.ts'
import { usefulThreads } from './useful-threads.ts'
import { pipeTable, writeNdjson, writeSummary, writeTable } from './write-calls.ts'

const CREDENTIAL_KEY_BYTES = 32
/** The bundle that this is a part of. */
const threadEntry = new URL('./tapdeck-dissect.mjs', import.meta.url)

/** `tapdeck dissect`. It is loaded when the options are right: the protocols take longer to load than a small file to read. */
export async function printCalls({
  options,
  words,
  terminal,
}: CommandInput<typeof dissectOptions>): Promise<number> {
  const format = options.format ?? (terminal.isScreen && !options.json ? 'table' : 'ndjson')
  const now = Date.now()
  const kfl = options.kfl ?? ''
  compileFilter(kfl, now)
  const inventory = await inventoryOf(options.inventory, words)
  const keyLog = options.keys === undefined ? '' : keyLogOf(options.keys, terminal)
  const credentialKey =
    options.credentials === 'keep' ? undefined : randomBytes(CREDENTIAL_KEY_BYTES).toString('hex')
  const progress = new Progress(terminal)
  const shape = ({ ndjson: 'full', table: 'compact', summary: 'none' } as const)[format]
  const settings = { kfl, now, inventory, shape, keyLog, credentialKey }
  const listener = {
    progress: (bytes: number, total: number | undefined) => progress.report(bytes, total),
    damaged: (file: string, reason: string) => terminal.note(`${file}: ${reason}`),
    fault: (protocol: string, error: string) => terminal.note(`A fault in ${protocol}: ${error}`),
  }
  if (format !== 'summary' && options.threads === undefined && isLivePipe(words, kfl, now)) {
    const print = format === 'table' ? pipeTable(terminal, options.utc) : terminal.out
    return reportEnd(await dissectPipe(settings, listener, print), kfl, terminal)
  }
  const dissected = await dissectFiles(
    words,
    settings,
    { count: options.threads ?? (await usefulThreads(words).catch(tellUnreadable)), entry: threadEntry },
    listener,
  ).catch(tellUnreadable)
  progress.done()
  try {
    if (format === 'ndjson') await writeNdjson(dissected, terminal)
    else if (format === 'table') await writeTable(dissected, terminal, options.utc)
    else await writeSummary(dissected, terminal)
  } finally {
    dissected.sorter.close()
  }
  return reportEnd(dissected, format === 'summary' ? undefined : kfl, terminal)
}

/** Returns the exit status. Without `kfl`, what was lost is in the output itself. */
function reportEnd(dissected: PipeResult, kfl: string | undefined, terminal: Terminal): number {
  if (kfl !== undefined) noteResult(dissected, kfl, terminal)
  for (const notCapture of dissected.notCaptures) terminal.note(`tapdeck dissect: ${notCapture}`)
  return dissected.notCaptures.length > 0 ? exitStatus.noCapture : exitStatus.done
}

/** Calls alone do not say what was lost, nor why there are none. */
function noteResult(
  { loss, sorter, packets, notCaptures }: PipeResult,
  kfl: string,
  terminal: Terminal,
): void {
  const lost = Object.entries(loss).map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${count}`)
  if (lost.length > 0) terminal.note(`Lost or damaged: ${lost.join(', ')}`)
  if (Object.values(sorter.byProtocol).some((count) => count > 0)) return
  if (kfl.trim() !== '') terminal.note(`No call matches the filter. Flows read: ${sorter.flows}.`)
  else if (notCaptures.length === 0) terminal.note(`No calls in ${packets} packets.`)
}

/** Reading YAML takes long to load, and few have an inventory. */
async function inventoryOf(file: string | undefined, captures: readonly string[]): Promise<Inventory> {
  if (file === undefined) return carriedNames(captures)
  const { readInventory } = await import('./inventory-file.ts')
  try {
    return readInventory(file)
  } catch (error) {
    return tellUnreadable(error)
  }
}

/** A file without a single secret is most likely not a key log. */
function keyLogOf(file: string, terminal: Terminal): string {
  try {
    const { text, connections, skipped, evicted } = readKeyLog(file)
    if (connections === 0)
      throw new UsageError(
        `${file} has no TLS secrets. A line is LABEL CLIENT_RANDOM SECRET, as SSLKEYLOGFILE writes it.`,
      )
    if (skipped > 0) terminal.note(`${file}: ${skipped} damaged lines were skipped.`)
    if (evicted > 0)
      terminal.note(
        `${file}: only the last ${connections} connections are used, the ${evicted} before them are not. Give the part of the log that belongs to the capture.`,
      )
    return text
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
