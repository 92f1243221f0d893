import { nearest } from '@tapdeck/config/nearest'
import type { Option, OptionTable, OptionValues } from './option.ts'
import { UsageError } from './usage-error.ts'

export interface ParsedArguments<Table> {
  readonly options: OptionValues<Table>
  readonly words: readonly string[]
}

/**
 * `--name value`, `--name=value`, `-n value`; options and words in any order; `--` ends the options; a lone `-` is a
 * word. Throws `UsageError`.
 */
export function parseArguments<Table extends OptionTable>(
  table: Table,
  args: readonly string[],
): ParsedArguments<Table> {
  const known: OptionTable = table
  const values = new Map(Object.entries(known).map(([name, option]) => [name, option.absent]))
  const words: string[] = []
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      words.push(...rest)
      break
    }
    if (arg === '-' || !arg.startsWith('-')) {
      words.push(arg)
      continue
    }
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1
    const spelled = equals < 0 ? arg : arg.slice(0, equals)
    const name = findOption(known, spelled)
    const option = known[name]!
    const inline = equals < 0 ? undefined : arg.slice(equals + 1)
    if (option.value === undefined && inline !== undefined) throw new UsageError(`${spelled} takes no value`)
    const given = option.value === undefined ? '' : (inline ?? rest.shift())
    if (given === undefined) throw new UsageError(`${spelled} needs a value: ${spelled} ${option.value}`)
    values.set(name, readValue(option, given, values.get(name), spelled))
  }
  return { options: Object.fromEntries(values) as OptionValues<Table>, words }
}

function readValue(option: Option<unknown>, given: string, before: unknown, spelled: string): unknown {
  try {
    return option.read(given, before)
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${spelled}: ${error.message}`) : error
  }
}

function findOption(known: OptionTable, spelled: string): string {
  if (spelled.startsWith('--') && Object.hasOwn(known, spelled.slice(2))) return spelled.slice(2)
  const short = Object.entries(known).find(([, option]) => `-${option.short}` === spelled)
  if (short) return short[0]
  const near = nearest(spelled.replace(/^-+/, ''), Object.keys(known))
  throw new UsageError(`unknown option ${spelled}${near ? `; did you mean --${near}?` : ''}`)
}
