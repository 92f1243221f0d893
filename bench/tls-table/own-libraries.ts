import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Stage } from './stage.ts'

const LIBRARIES = /\S*\/lib(?:ssl|crypto|gnutls)\.so\S*/g

/** Copies of the TLS libraries of some programs, so that probes in them touch no other process of the machine. */
export class OwnLibraries {
  /** To be loaded from: `LD_LIBRARY_PATH`. */
  readonly folder: string
  /** Those that have connections. */
  readonly paths: readonly string[]

  constructor(stage: Stage, programs: readonly string[]) {
    this.folder = join(stage.folder, 'lib')
    mkdirSync(this.folder)
    const copies = new Set<string>()
    for (const name of programs)
      for (const library of execFileSync('ldd', [Stage.find(name) ?? name], { encoding: 'utf8' }).match(
        LIBRARIES,
      ) ?? []) {
        const copy = join(this.folder, basename(library))
        copyFileSync(library, copy)
        if (!library.includes('crypto')) copies.add(copy)
      }
    this.paths = [...copies]
  }
}
