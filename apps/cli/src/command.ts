import type { OptionTable, OptionValues } from './arguments/option.ts'
import type { Terminal } from './output/terminal.ts'

/** Exit statuses that scripts may rely on. */
export const exitStatus = { done: 0, failed: 1, usage: 2, noCapture: 3 } as const

/** One thing the command line can do. Help, `docs/cli.md` and dispatch are made from the list of these. */
export interface Command<Table extends OptionTable = OptionTable> {
  /** One or two words: `calls`, `snapshot create`. */
  readonly name: string
  readonly summary: string
  /** The words it takes, as help shows them: `FILE…`. */
  readonly takes?: string
  /** How many words it takes, at least and at most; none unless said. */
  readonly words?: readonly [least: number, most: number]
  readonly options: Table
  /** More to say below the options. */
  readonly notes?: string
  /** Resolves to the exit status. */
  run(input: CommandInput<Table>): Promise<number>
}

export interface CommandInput<Table> {
  readonly options: OptionValues<Table>
  readonly words: readonly string[]
  readonly terminal: Terminal
  readonly env: Readonly<Record<string, string | undefined>>
}

/** As it stands in the list, where options of all kinds meet. */
export type AnyCommand = Command<OptionTable>

/** Checks a command's options against its `run`, then forgets their types so that it can stand in the list. */
export function command<Table extends OptionTable>(definition: Command<Table>): AnyCommand {
  return definition as unknown as AnyCommand
}
