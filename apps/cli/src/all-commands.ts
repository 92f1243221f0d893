import { commands } from './commands/index.ts'
import { processTerminal } from './output/terminal.ts'
import { runCommand } from './run-command.ts'

process.exitCode = await runCommand(commands, process.argv.slice(2), processTerminal(), process.env)
