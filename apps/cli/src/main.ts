#!/usr/bin/env node
import module from 'node:module'
import { compileCacheFolder } from './compile-cache-folder.ts'
import { hideArguments } from './hide-arguments.ts'

const args = process.argv.slice(2)
hideArguments(args)

// Node.js 22 and newer keep what they compiled. It must be on before the rest is imported.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
const folder = enableCompileCache && compileCacheFolder(process.env)
if (folder !== undefined) enableCompileCache?.(folder)

const { runProcess } = await import('./run-process.ts')
process.exitCode = await runProcess(args)
