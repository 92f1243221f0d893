import type { Endpoint } from '@tapdeck/dissect'
import { textPattern } from '@tapdeck/kfl'

const EVERY_POD = '.*'

export interface TargetOptions {
  readonly regex: string
  readonly namespaces: readonly string[]
  readonly excludedNamespaces: readonly string[]
}

/** Whether a call is indexed: at least one of its peers must be a target. */
export type Targets = (src: Endpoint, dst: Endpoint) => boolean

/**
 * Without a selection every call is indexed, and an excluded namespace only drops calls that have no other peer.
 * Throws `SyntaxError` for a bad regular expression.
 */
export function createTargets({ regex, namespaces, excludedNamespaces }: TargetOptions): Targets {
  const pods = regex === '' || regex === EVERY_POD ? undefined : textPattern(regex)
  const wanted = namespaces.length > 0 ? new Set(namespaces) : undefined
  const excluded = new Set(excludedNamespaces)
  const chosen = pods !== undefined || wanted !== undefined
  if (!chosen && excluded.size === 0) return () => true

  const isExcluded = ({ ns }: Endpoint) => ns !== undefined && excluded.has(ns)
  const isTarget = (peer: Endpoint) =>
    peer.ns !== undefined &&
    !excluded.has(peer.ns) &&
    (wanted === undefined || wanted.has(peer.ns)) &&
    (pods === undefined || (peer.pod !== undefined && pods.test(peer.pod)))
  return (src, dst) => isTarget(src) || isTarget(dst) || (!chosen && !isExcluded(src) && !isExcluded(dst))
}
