import type { OptionValues } from '../arguments/option.ts'
import { exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { type Column, formatTable } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { type hubOptions, wantsTable } from './hub-options.ts'

/** A list that a hub answered with: as a table for people, as it came for programs. */
export async function showList<Row>(
  { options, terminal }: { options: OptionValues<typeof hubOptions>; terminal: Terminal },
  answer: unknown,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Promise<number> {
  if (wantsTable(options, terminal)) await terminal.out(formatTable(columns, rows, terminal))
  else await showJson(terminal, answer)
  return exitStatus.done
}
