import type { CharSet } from './char-set.ts'
import type { Assertion, Pattern } from './pattern.ts'
import { RegexTooLarge } from './regex-too-large.ts'

/** With the length of the text this bounds the work of a match. */
const MAX_INSTRUCTIONS = 2000

/** Thompson's machine: each instruction goes on to the next one, or to `to`. */
export type Instruction =
  | { readonly kind: 'set'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'split'; to: number }
  | { readonly kind: 'jump'; to: number }
  | { readonly kind: 'match' }

export function assemble(pattern: Pattern): readonly Instruction[] {
  const program: Instruction[] = []
  emit(pattern, program)
  program.push({ kind: 'match' })
  return program
}

function emit(pattern: Pattern, program: Instruction[]): void {
  if (program.length > MAX_INSTRUCTIONS) throw new RegexTooLarge()
  switch (pattern.kind) {
    case 'empty':
      return
    case 'set':
      program.push({ kind: 'set', set: pattern.set })
      return
    case 'assert':
      program.push({ kind: 'assert', assertion: pattern.assertion })
      return
    case 'sequence':
      for (const part of pattern.parts) emit(part, program)
      return
    case 'either':
      emitEither(pattern.parts, program)
      return
    case 'repeat':
      emitRepeat(pattern, program)
  }
}

function emitEither(parts: readonly Pattern[], program: Instruction[]): void {
  const exits: { kind: 'jump'; to: number }[] = []
  parts.forEach((part, index) => {
    if (index === parts.length - 1) {
      emit(part, program)
      return
    }
    const split: Instruction = { kind: 'split', to: 0 }
    program.push(split)
    emit(part, program)
    const exit: { kind: 'jump'; to: number } = { kind: 'jump', to: 0 }
    program.push(exit)
    exits.push(exit)
    split.to = program.length
  })
  for (const exit of exits) exit.to = program.length
}

function emitRepeat(pattern: Extract<Pattern, { kind: 'repeat' }>, program: Instruction[]): void {
  const start = program.length
  for (let count = 0; count < pattern.least; count++) {
    emit(pattern.of, program)
    // However often nothing is repeated, it is nothing.
    if (program.length === start) return
  }
  if (pattern.most === Number.POSITIVE_INFINITY) {
    const split: Instruction = { kind: 'split', to: 0 }
    const again = program.length
    program.push(split)
    emit(pattern.of, program)
    program.push({ kind: 'jump', to: again })
    split.to = program.length
    return
  }
  const splits: { kind: 'split'; to: number }[] = []
  for (let count = pattern.least; count < pattern.most; count++) {
    const split: { kind: 'split'; to: number } = { kind: 'split', to: 0 }
    splits.push(split)
    program.push(split)
    emit(pattern.of, program)
  }
  for (const split of splits) split.to = program.length
}
