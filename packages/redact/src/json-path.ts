import { RuleError } from './redaction-rules.ts'

/** One step of a path: a name, any element or member, or any depth. */
type Step = { readonly name: string } | 'any' | 'deep'

export interface JsonPath {
  readonly steps: readonly Step[]
}

/** `a.b`, `a[*].b`, `a[0].b`, `**.b`, `a["b.c"]`. Throws `RuleError`. */
export function parseJsonPath(text: string): JsonPath {
  const steps: Step[] = []
  const part = /\.?(\*\*|\*|[^.[\]"*]+)|\[(\*|\d+|"(?:[^"\\]|\\.)*")\]/gy
  let at = text.startsWith('$') ? 1 : 0
  while (at < text.length) {
    part.lastIndex = at
    const found = part.exec(text)
    if (found === null || found[0] === '')
      throw new RuleError(`"${text.slice(0, 80)}" is no path: write a.b, a[*].b or **.b`)
    const [all, plain, bracket] = found
    const step = plain ?? bracket!
    if (step === '**') steps.push('deep')
    else if (step === '*') steps.push('any')
    else steps.push({ name: step.startsWith('"') ? String(JSON.parse(step)) : step })
    at += all.length
  }
  if (steps.length === 0 || steps.at(-1) === 'deep')
    throw new RuleError(`"${text.slice(0, 80)}" names nothing: write a.b, a[*].b or **.b`)
  return { steps }
}

/** Whether the path leads to where `keys` stands, or to something around it. */
export function leadsTo({ steps }: JsonPath, keys: readonly string[]): boolean {
  return reaches(steps, 0, keys, 0)
}

function reaches(steps: readonly Step[], step: number, keys: readonly string[], key: number): boolean {
  if (step === steps.length) return true
  const wanted = steps[step]!
  if (wanted === 'deep') {
    for (let at = key; at < keys.length; at++) if (reaches(steps, step + 1, keys, at)) return true
    return false
  }
  if (key === keys.length) return false
  return (wanted === 'any' || wanted.name === keys[key]) && reaches(steps, step + 1, keys, key + 1)
}
