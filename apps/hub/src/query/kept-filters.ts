import { type OperationName, operations, type TextPlace, textsIn } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { Redactor } from '@tapdeck/redact'
import type { Caller } from '../access/caller.ts'
import type { Redactions } from '../access/redactions.ts'
import { scopeOf } from '../access/scope.ts'
import { isRedactedPath } from './redacted-source.ts'

export interface FilterRules {
  readonly redactions: Redactions
  readonly catalog: Catalog
  readonly now: () => number
}

type Shown = { readonly kfl: string } | { readonly kfl_withheld: string }

/**
 * THE rule of filters that callers keep: a saved filter, the filter of a recording, of an agent, of a dissection. It is shown
 * to callers who may use it and who see everything that it names; others get the reason why it is withheld.
 */
export function keptFilter(kfl: string, caller: Caller, rules: FilterRules): Shown {
  const reason = kfl.trim() === '' ? undefined : reasonToWithhold(kfl, caller, rules)
  return reason === undefined ? { kfl } : { kfl_withheld: reason }
}

function reasonToWithhold(kfl: string, caller: Caller, rules: FilterRules): string | undefined {
  const redactor = rules.redactions.of(caller)
  if (scopeOf(caller))
    return `withheld: the role "${caller.role}" is limited to some namespaces, and a filter can name others`
  if (redactor === undefined || showsNothingHidden(kfl, redactor, rules)) return undefined
  return `withheld: the role "${caller.role}" sees redacted calls, and this filter can hold what it may not see`
}

function showsNothingHidden(kfl: string, redactor: Redactor, { catalog, now }: FilterRules): boolean {
  if (redactor.loneText(kfl) !== kfl) return false
  try {
    // A filter may read paths and errors, which are shown redacted; its text may be a value that is hidden there.
    const hides = masksTexts(redactor)
    return !compile(kfl, catalog, now()).paths.some(
      (path) => isRedactedPath(path) || (hides && /^(path|error)$/.test(path)),
    )
  } catch {
    return false
  }
}

/** Whether parts of paths and errors are hidden, and not only headers or bodies. */
function masksTexts({ rules: { query, json, sqlLiterals, detect, patterns } }: Redactor): boolean {
  return sqlLiterals || [query, json, detect, patterns].some((list) => list.length > 0)
}

/** Where the answers of each operation have filters that are kept: the object that holds `kfl`. */
const places: ReadonlyMap<OperationName, readonly TextPlace['path'][]> = new Map(
  (Object.keys(operations) as OperationName[]).map((name) => [
    name,
    textsIn(operations[name].output)
      .filter(({ origin }) => origin === 'kept')
      .map(({ path }) => path.slice(0, -1)),
  ]),
)

/** The answer of an operation as the caller may see it. Every answer goes through here. */
export function withheldFrom(
  operation: OperationName,
  answer: unknown,
  caller: Caller,
  rules: FilterRules,
): unknown {
  if (scopeOf(caller) === undefined && rules.redactions.of(caller) === undefined) return answer
  const show = (holder: unknown) => shownIn(holder, caller, rules)
  return (places.get(operation) ?? []).reduce((shown, path) => changedAt(shown, path, show), answer)
}

function shownIn(holder: unknown, caller: Caller, rules: FilterRules): unknown {
  if (!isRecord(holder) || typeof holder.kfl !== 'string') return holder
  const { kfl, ...rest } = holder
  return { ...rest, ...keptFilter(kfl, caller, rules) }
}

function changedAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) return name === '*' ? value.map((entry) => changedAt(entry, rest, change)) : value
  if (!isRecord(value)) return value
  const names = name === '*' ? Object.keys(value) : name in value ? [name] : []
  return {
    ...value,
    ...Object.fromEntries(names.map((one) => [one, changedAt(value[one], rest, change)])),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
