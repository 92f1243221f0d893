#!/usr/bin/env node
import { dissect } from './commands/dissect.ts'
import { hideArguments } from './hide-arguments.ts'
import { processTerminal } from './output/terminal.ts'
import { runCommand } from './run-command.ts'

const args = process.argv.slice(2)
hideArguments(args)

// Dissecting files begins at once: what only the other commands need is not even read for it.
if (args[0] === dissect.name)
  process.exitCode = await runCommand([dissect], args, processTerminal(), process.env)
else await import(new URL('./tapdeck-commands.mjs', import.meta.url).href)
