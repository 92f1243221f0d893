import type { OperationName } from '@tapdeck/api'
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
  /** How many words it takes, at least and at most. Default: none. */
  readonly words?: readonly [least: number, most: number]
  readonly options: Table
  /** Operations of the hub that this command makes available. A test checks that each operation has a command. */
  readonly operations?: readonly OperationName[]
  /** It opens the way to the hub of `--context` itself. */
  readonly forwards?: boolean
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

/** A command with any options, as the list of commands holds it. */
export type AnyCommand = Command<OptionTable>

/** Checks a command's options against its `run`, then erases their types for the list of commands. */
export function command<Table extends OptionTable>(definition: Command<Table>): AnyCommand {
  return definition as unknown as AnyCommand
}
