#!/usr/bin/env node
import { runCli } from './run-cli.mjs'

await runCli(process.argv.slice(2))
