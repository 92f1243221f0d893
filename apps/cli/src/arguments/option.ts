import { UsageError } from './usage-error.ts'

/** One `--option` of a command. What it yields when absent is part of its type. */
export interface Option<Value> {
  readonly doc: string
  readonly short?: string
  /** How the value is written in help (`FILE`); absent: a flag that takes none. */
  readonly value?: string
  readonly absent: Value
  /** The next value, made of the text and of what earlier occurrences gave. Throws `UsageError`. */
  read(text: string, before: Value): Value
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>

/** What the options of a table yield, by name. */
export type OptionValues<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never
}

interface Shown {
  readonly short?: string
}

export function flag(doc: string, shown: Shown = {}): Option<boolean> {
  return { doc, ...shown, absent: false, read: () => true }
}

export function text(value: string, doc: string, shown: Shown = {}): Option<string | undefined> {
  return { doc, value, ...shown, absent: undefined, read: (given) => given }
}

export function texts(value: string, doc: string, shown: Shown = {}): Option<readonly string[]> {
  return {
    doc: `${doc} Repeatable.`,
    value,
    ...shown,
    absent: [],
    read: (given, before) => [...before, given],
  }
}

export function whole(value: string, doc: string, least: number, most: number): Option<number | undefined> {
  return {
    doc,
    value,
    absent: undefined,
    read: (given) => {
      const number = Number(given)
      if (!/^\d+$/.test(given) || number < least || number > most)
        throw new UsageError(`expected a whole number from ${least} to ${most}, not "${given}"`)
      return number
    },
  }
}

export function choice<const Word extends string>(
  words: readonly Word[],
  doc: string,
): Option<Word | undefined> {
  return {
    doc,
    value: words.join('|'),
    absent: undefined,
    read: (given) => {
      const word = words.find((one) => one === given)
      if (word === undefined) throw new UsageError(`expected ${words.join(', ')}, not "${given}"`)
      return word
    },
  }
}
