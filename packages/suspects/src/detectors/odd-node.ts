import { type Evidence, keyOfParty, type Party, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import type { Loss } from '../loss.ts'
import { isEach, type Oddness, oddness, wasOdd } from '../oddness.ts'
import { podsByService } from './replica.ts'

/** Of the services with pods here and elsewhere, so many must differ. */
const MOST = 0.6
/** One odd pod is a pod; several are a node. */
const MIN_PODS = 2
/** Before its pods one by one, and before the versions of one service. */
const MORE = 5

interface Compared {
  readonly service: Party
  readonly proto: string
  readonly inside: readonly Traffic[]
  readonly odd: readonly Oddness[]
}

/** A node whose pods are slower than their siblings on other nodes, or fail where these do not. */
export function oddNode({ before, after }: Evidence): Finding[] {
  const services = [...podsByService(after.replicas).values()]
  const nodes = [...new Set(after.replicas.flatMap(({ node }) => node ?? []))]
  return nodes.flatMap((node) => {
    const compared = services.flatMap((pods): Compared[] => {
      const inside = pods.filter((pod) => pod.node === node)
      const outside = pods.filter((pod) => pod.node !== undefined && pod.node !== node)
      const [first] = inside
      if (first === undefined || outside.length === 0) return []
      const odd = oddness(inside, outside, 'other nodes').filter(({ how }) => isEach(inside, outside, how))
      return [{ service: first.client, proto: first.proto, inside, odd }]
    })
    return (['failing', 'slow'] as const).flatMap((how) =>
      finding(node, compared, how).map((one) => ({
        ...one,
        ...(wasOdd(one.pods ?? [], how, before?.replicas ?? []) && { isBackground: true as const }),
      })),
    )
  })
}

function finding(node: string, compared: readonly Compared[], how: Oddness['how']): Finding[] {
  const odd = compared.flatMap((one) => {
    const found = one.odd.find((each) => each.how === how)
    return found === undefined ? [] : { ...one, found }
  })
  const pods = odd.flatMap(({ inside }) => inside.map(({ server }) => keyOfParty(server)))
  const [first] = odd
  if (first === undefined || new Set(pods).size < MIN_PODS || odd.length < compared.length * MOST) return []
  const covers = [...new Map(odd.map(({ service }) => [keyOfParty(service), service])).values()]
  const loss: Loss = {
    how: first.found.loss.how,
    lost: odd.reduce((sum, { found }) => sum + found.loss.lost, 0),
    of: odd.reduce((sum, { found }) => sum + found.loss.of, 0),
  }
  const names = covers.map(({ name }) => name).join(', ')
  return [
    {
      kind: 'node',
      score: Math.max(...odd.map(({ found }) => found.score)) + MORE,
      what: `Pods on node ${node} ${how === 'failing' ? 'fail where those on other nodes do not' : 'are slower than those on other nodes'}: ${names}`,
      before: first.found.before,
      after: `${first.found.after}${odd.length > 1 ? ` (${first.service.name}; ${odd.length - 1} other services alike)` : ''}`,
      comparedWith: 'peers',
      loss,
      covers,
      pods,
      selection: { node, ...(covers.length === 1 && { server: covers[0] as Party }) },
      against: compared.length > odd.length ? ['Pods of other services on this node are well.'] : [],
    },
  ]
}
