import type { AnyCommand } from './command.ts'

/** The commands that there are. What all of them are called is known before one is loaded. */
export interface CommandList {
  /** Name → summary, in the order of help. */
  readonly summaries: Readonly<Record<string, string>>
  load(name: string): Promise<AnyCommand>
}

/** Commands that are loaded, as a list. */
export function listOf(commands: readonly AnyCommand[]): CommandList {
  return {
    summaries: Object.fromEntries(commands.map(({ name, summary }) => [name, summary])),
    load: async (name) => commands.find((one) => one.name === name)!,
  }
}
