import { parseDocument } from 'yaml'
import { ConfigError } from './config-error.ts'
import { isTree, type Tree } from './layers.ts'

/** YAML (and so JSON) → a plain value. Throws `ConfigError` with the place of what cannot be read. */
export function readYaml(name: string, text: string): unknown {
  const document = parseDocument(text, { uniqueKeys: true, prettyErrors: true })
  if (document.errors.length > 0)
    throw new ConfigError(
      document.errors.map((error) => ({
        path: '',
        message: error.message.split('\n')[0]!.replace(/:$/, ''),
        from: name,
      })),
    )
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new ConfigError([
      { path: '', message: error instanceof Error ? error.message : String(error), from: name },
    ])
  }
}

/** A values file: a mapping, or nothing at all. */
export function readValues(name: string, text: string): Tree {
  const value = readYaml(name, text)
  if (value === null || value === undefined) return {}
  if (isTree(value)) return value
  throw new ConfigError([
    { path: '', message: 'the file is no mapping of keys to values', from: name, accepted: 'tap: …, hub: …' },
  ])
}
