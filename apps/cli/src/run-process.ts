import { commands } from './commands/index.ts'
import { processTerminal } from './output/terminal.ts'
import { runCommand } from './run-command.ts'

/** The command line of this process. Resolves to the exit status. */
export function runProcess(args: readonly string[]): Promise<number> {
  return runCommand(commands, args, processTerminal(), process.env)
}
