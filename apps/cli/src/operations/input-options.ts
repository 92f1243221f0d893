import { type Operation, type OperationName, operations } from '@tapdeck/api'
import { z } from 'zod'
import { choice, flag, type Option, text, texts, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** What is read of the JSON schema of an input. */
interface InputSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly anyOf?: readonly InputSchema[]
  readonly items?: InputSchema
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
}

/** A value of these types is written on the command line as it is. A time is a text or a number. */
const PLAIN: ReadonlySet<string> = new Set(['string', 'integer', 'number'])

/** How the input of an operation is given on the command line. */
export interface InputOptions {
  /** Keys that are given as words, in order: the parameters of the path, then what else is required. */
  readonly words: readonly string[]
  /** Options by their key in the input. */
  readonly options: ReadonlyMap<string, { readonly name: string; readonly option: Option<unknown> }>
}

/** `taken`: names of options that mean something else on the command line. */
export function inputOptions(operation: OperationName, taken: ReadonlySet<string>): InputOptions {
  const { input, path }: Operation = operations[operation]
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
  }) as InputSchema
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!)
  const isWord = (key: string) => !inPath.includes(key) && isPlain(properties[key]!)
  const words = [...inPath, ...required.filter(isWord)]
  const options = Object.entries(properties)
    .filter(([key]) => !words.includes(key))
    .map(([key, schema]) => {
      const name = key.replaceAll('_', '-')
      return [key, { name: taken.has(name) ? `input-${name}` : name, option: optionOf(key, schema) }] as const
    })
  return { words, options: new Map(options) }
}

function isPlain({ type = [], anyOf }: InputSchema): boolean {
  const types = [type].flat()
  return anyOf !== undefined || (types.length > 0 && types.every((one) => PLAIN.has(one)))
}

function optionOf(key: string, schema: InputSchema): Option<unknown> {
  const doc = docOf(key, schema)
  const value = key.replaceAll('_', '-').toUpperCase()
  if (schema.enum) return choice(schema.enum, doc)
  if (schema.type === 'boolean') return flag(doc)
  if (schema.type === 'integer')
    return whole('N', doc, schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER)
  if (schema.type === 'array' && schema.items?.type === 'string') return texts(value, doc)
  return isPlain(schema) ? text(value, doc) : jsonValue(doc)
}

/** A list or an object, written as JSON. */
function jsonValue(doc: string): Option<unknown> {
  return {
    doc: `${doc} Written as JSON.`,
    value: 'JSON',
    absent: undefined,
    read: (given) => {
      try {
        return JSON.parse(given)
      } catch (error) {
        throw new UsageError(`expected JSON: ${(error as Error).message}`)
      }
    },
  }
}

function docOf(key: string, schema: InputSchema): string {
  const doc = schema.description ?? key.replaceAll('_', ' ')
  const sentence = `${doc.charAt(0).toUpperCase()}${doc.slice(1)}${/[.?…]$/.test(doc) ? '' : '.'}`
  const standard = schema.default
  const isShown = standard !== undefined && standard !== '' && standard !== false
  return isShown ? `${sentence} Default: ${standard}.` : sentence
}
