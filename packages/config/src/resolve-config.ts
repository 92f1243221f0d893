import type { z } from 'zod'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { configKeys } from './config-keys.ts'
import type { ConfigOrigin } from './config-origin.ts'
import { type ConfigFlags, type ConfigSources, configFlags, configVariables } from './config-sources.ts'
import { Layers } from './layers.ts'
import { nearest } from './nearest.ts'
import { readValues } from './read-values.ts'
import { removedKeys } from './removed-keys.ts'
import { type Config, configSchema } from './schema.ts'
import { parseSet } from './set-notation.ts'
import { isSecret } from './without-secrets.ts'

export interface ResolvedConfig {
  readonly config: Config
  /** By key; a key that is missing has its default. */
  readonly origins: Readonly<Record<string, ConfigOrigin>>
}

/**
 * Defaults < files in order < environment < `--set` < `--set-string` < options of their own. Throws `ConfigError` with
 * everything that is wrong.
 */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const problems: ConfigProblem[] = []
  const layers = new Layers()
  for (const { name, text } of sources.files)
    collect(problems, () => layers.merge(readValues(name, text), name))
  for (const [variable, path] of Object.entries(configVariables)) {
    const text = sources.env[variable]
    if (text && !isServiceLink(text))
      layers.assign({ path: path.split('.'), value: plain(path, text) }, variable)
  }
  for (const text of sources.set) collect(problems, () => applySet(layers, text, '--set', false))
  for (const text of sources.setString ?? [])
    collect(problems, () => applySet(layers, text, '--set-string', true))
  for (const [flag, path] of Object.entries(configFlags)) {
    const value = sources.flags?.[flag as keyof ConfigFlags]
    if (value === undefined) continue
    const given = typeof value === 'string' ? plain(path, value) : value.flatMap((one) => one.split(','))
    layers.assign({ path: path.split('.'), value: given }, `--${flag}`)
  }
  const parsed = configSchema.safeParse(layers.tree, { reportInput: true })
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap((issue) => describe(issue, layers)))
  if (problems.length > 0) throw new ConfigError(problems)
  return { config: parsed.data!, origins: originsOf(layers, sources) }
}

function originsOf(layers: Layers, { files }: ConfigSources): ResolvedConfig['origins'] {
  const names = new Set(files.map(({ name }) => name))
  const origins: Record<string, ConfigOrigin> = {}
  for (const { path } of configKeys) {
    const from = layers.origin(path.split('.'))
    // The text of a `--set` may hold secrets of other keys.
    const option = /^--[a-z-]+/.exec(from)?.[0]
    if (names.has(from)) origins[path] = { kind: 'file', name: from }
    else if (Object.hasOwn(configVariables, from)) origins[path] = { kind: 'env', name: from }
    else if (option !== undefined) origins[path] = { kind: 'argument', name: option }
  }
  return origins
}

/** A Service called `tapdeck` makes Kubernetes set TAPDECK_PORT=tcp://10.96.0.5:80 in every pod: that is no setting of ours. */
function isServiceLink(text: string): boolean {
  return /^(?:tcp|udp|sctp):\/\/.+:\d+$/i.test(text)
}

/** Variables that are ignored because Kubernetes set them for a Service. */
export function serviceLinks(env: ConfigSources['env']): string[] {
  return Object.keys(configVariables).filter((variable) => isServiceLink(env[variable] ?? ''))
}

function collect(problems: ConfigProblem[], read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    problems.push(...error.problems)
  }
}

function applySet(layers: Layers, text: string, flag: string, asText: boolean): void {
  const from = `${flag} ${text}`
  try {
    for (const assignment of parseSet(text, asText)) layers.assign(assignment, from)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ConfigError([{ path: '', message, from, accepted: 'key.path=value' }])
  }
}

/** Environment and options are text; only the port is not meant as such. */
function plain(path: string, text: string): string | number {
  return path === 'hub.port' && /^\d+$/.test(text) ? Number(text) : text
}

function describe(issue: z.core.$ZodIssue, layers: Layers): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((name) => unknownKey([...issue.path, name].map(String), layers))
  const path = pathText(issue.path)
  const secret = isSecret(path)
  const given = secret ? '(hidden)' : issue.input
  const origin = layers.origin(issue.path.map((part) => (typeof part === 'number' ? part : String(part))))
  const own: unknown = issue.code === 'custom' ? issue.params?.accepted : undefined
  const accepted = typeof own === 'string' ? own : acceptedAt(path, issue)
  return [
    {
      path,
      message: hasOwnMessage(issue) ? issue.message : `${JSON.stringify(given) ?? 'nothing'} is not accepted`,
      given,
      accepted,
      from: secret ? origin.replace(/ .*/s, '') : origin,
    },
  ]
}

function acceptedAt(path: string, issue: z.core.$ZodIssue): string {
  const key = configKeys.find((one) => path === one.path || path.startsWith(`${one.path}[`))
  if (key) return key.accepts
  // Inside a mapping whose keys are names that people choose.
  if (issue.code === 'invalid_value') return issue.values.join(', ')
  if (/^tap\.auth\.roles\.[^.]+\.namespaces/.test(path))
    return 'a list of namespaces with at least one; leave it out for all'
  return issue.code === 'invalid_type' && issue.expected !== 'object'
    ? (shapes[issue.expected] ?? issue.expected)
    : 'a mapping of keys to values'
}

const shapes: Readonly<Record<string, string>> = { string: 'a text', array: 'a list of texts' }

/** A check that says itself what is wrong, better than by repeating what was given. */
function hasOwnMessage(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'custom' && issue.params?.hasOwnMessage === true
}

function unknownKey(path: readonly string[], layers: Layers): ConfigProblem {
  const name = path.join('.')
  const from = layers.origin(path)
  const successor = Object.entries(removedKeys).find(([key]) => key === name || key.startsWith(`${name}.`))
  if (successor)
    return { path: name, message: 'this key is no more', suggestion: `use ${successor[1]}`, from }
  const near = nearestKey(name)
  const accepted = besides(path)
  return {
    path: name,
    message: 'unknown key',
    from,
    ...(accepted.length > 0 && { accepted: accepted.join(', ') }),
    ...(near && { suggestion: `did you mean ${near}?` }),
  }
}

/** The possible keys at this place. */
function besides(path: readonly string[]): string[] {
  const above = path.slice(0, -1).map((part) => `${part}.`)
  const start = above.join('')
  const below = configKeys.filter((key) => key.path.startsWith(start))
  return [...new Set(below.map((key) => key.path.slice(start.length).split('.')[0]!))]
}

/** By spelling among all keys and sections; else a key of the same last name elsewhere in the tree. */
function nearestKey(name: string): string | undefined {
  const known = new Set<string>()
  for (const { path } of configKeys) {
    const parts = path.split('.')
    for (let length = 1; length <= parts.length; length++) known.add(parts.slice(0, length).join('.'))
  }
  const depth = name.split('.').length
  const siblings = [...known].filter((path) => path.split('.').length === depth)
  const last = name.slice(name.lastIndexOf('.') + 1)
  return (
    nearest(name, siblings) ??
    [...known].find((path) => path.endsWith(`.${name}`)) ??
    [...known].find((path) => path.endsWith(`.${last}`)) ??
    nearest(name, known)
  )
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at > 0 ? '.' : ''}${String(part)}`))
    .join('')
}
