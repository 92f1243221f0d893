import { Problem } from '@tapdeck/api'
import { Regex, RegexError, textPattern } from '@tapdeck/kfl'
import { assertCaptureFilter } from '../cluster/assert-capture-filter.ts'
import type { TargetChoice } from '../cluster/target-choice.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

const SHOWN = 100
type Pods = Pick<TargetChoice, 'regex' | 'namespaces' | 'excludedNamespaces'>

export const getTargets: Handler<'get_targets'> = ({ limit }, services) => inForce(services, limit)

export const previewTargets: Handler<'preview_targets'> = (input, services) => {
  const { regex, namespaces, excludedNamespaces } = services.targets.current
  requireLinear(input.regex)
  const choice = {
    regex: input.regex ?? regex,
    namespaces: input.namespaces ?? namespaces,
    excludedNamespaces: input.excluded_namespaces ?? excludedNamespaces,
  }
  return matching(services, choice, input.limit)
}

export const setTargets: Handler<'set_targets'> = async (input, services) => {
  const { current } = services.targets
  const bpf = input.bpf ?? current.bpf
  requireBpf(bpf)
  requireLinear(input.regex)
  await services.targets.choose({
    regex: input.regex ?? current.regex,
    namespaces: input.namespaces ?? current.namespaces,
    excludedNamespaces: input.excluded_namespaces ?? current.excludedNamespaces,
    bpf,
  })
  return inForce(services, SHOWN)
}

export const resetTargets: Handler<'reset_targets'> = async (_input, services) => {
  await services.targets.choose(undefined)
  return inForce(services, SHOWN)
}

function inForce(services: HubServices, limit: number) {
  const { current, source } = services.targets
  const { regex, namespaces, excludedNamespaces, bpf } = current
  return {
    regex,
    namespaces: [...namespaces],
    excluded_namespaces: [...excludedNamespaces],
    bpf,
    source,
    ...matching(services, current, limit),
  }
}

/** The pods that exist now and match, in order of their names. */
function matching({ directory, now }: HubServices, choice: Pods, limit: number) {
  const pattern = textPattern(choice.regex)
  const time = now()
  const found = directory.inventory.pods.filter(
    ({ name, namespace, until = Number.POSITIVE_INFINITY }) =>
      until > time &&
      pattern.test(name) &&
      (choice.namespaces.length === 0 || choice.namespaces.includes(namespace)) &&
      !choice.excludedNamespaces.includes(namespace),
  )
  const unique = new Map(found.map((pod) => [`${pod.namespace}/${pod.name}`, pod]))
  const pods = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod)
  return {
    pods: pods
      .slice(0, limit)
      .map(({ name, namespace, node }) => ({ name, namespace, ...(node && { node }) })),
    total: pods.length,
  }
}

/** A caller's pattern runs on the hub and on every node, so it must not be able to take exponential time. */
function requireLinear(pattern: string | undefined): void {
  if (pattern === undefined) return
  try {
    new Regex(pattern)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new Problem(400, 'bad_regex', `regex: ${error.message} (character ${error.at})`)
  }
}

function requireBpf(expression: string): void {
  try {
    assertCaptureFilter(expression)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Problem(400, 'bad_bpf', error.message)
  }
}
