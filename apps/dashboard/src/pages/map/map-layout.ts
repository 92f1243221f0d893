import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from 'd3-force'
import { layersOf } from './map-layers.ts'

interface LayoutNode {
  readonly id: string
  readonly ns: string | undefined
}

interface LayoutEdge {
  readonly src: string
  readonly dst: string
}

interface Body extends SimulationNodeDatum {
  readonly id: string
  /** Where the forces pull it. */
  homeX: number
  homeY: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

const LAYER_PX = 230
const NS_PX = 320
const FEW_NODES = 40
const MAX_STRETCH = 4
const COLLIDE_PX = 62
/** Below this nothing moves that could be seen. */
const REST = 0.02

/**
 * Where the nodes of the map are: callers to the left, what they call to the right. Positions outlive changes: while only
 * figures move nothing moves, and a new node finds its place between those that are there.
 */
export class MapLayout {
  readonly #bodies = new Map<string, Body>()
  #simulation: Simulation<Body, SimulationLinkDatum<Body>> = forceSimulation<Body>([]).stop()
  #shape = ''
  /** Moves whenever a node may have another place. */
  revision = 0

  /** True where nodes or edges came or went, so that there is something to arrange. */
  update(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[], byNs: boolean): boolean {
    const shape = JSON.stringify([
      byNs,
      nodes.map(({ id }) => id).sort(),
      edges.map((edge) => [edge.src, edge.dst]).sort(),
    ])
    if (shape === this.#shape) return false
    const isFirst = this.#bodies.size === 0
    const wasGrouped = this.#shape.startsWith('[true')
    this.#shape = shape
    this.revision++
    const layers = layersOf(
      nodes.map(({ id }) => id),
      edges,
    )
    const namespaces = [...new Set(nodes.map(({ ns }) => ns ?? ''))].sort()
    const known = new Set(nodes.map(({ id }) => id))
    for (const id of this.#bodies.keys()) if (!known.has(id)) this.#bodies.delete(id)
    // Columns of many nodes are thick: what would become a tower gets more width.
    const layerPx = LAYER_PX * Math.min(MAX_STRETCH, Math.max(1, Math.sqrt(nodes.length / FEW_NODES)))
    const isRearranged = isFirst || wasGrouped !== byNs
    nodes.forEach(({ id, ns }, order) => {
      const homeX = (layers.get(id) ?? 0) * layerPx
      const homeY = byNs ? namespaces.indexOf(ns ?? '') * NS_PX : 0
      const before = this.#bodies.get(id)
      if (before) {
        Object.assign(before, { homeX, homeY })
        // Those that are there stay: only the new ones move.
        before.fx = isRearranged ? null : before.x
        before.fy = isRearranged ? null : before.y
      } else this.#bodies.set(id, { id, homeX, homeY, x: homeX, y: homeY + spread(order) })
    })
    const links = edges
      .filter(({ src, dst }) => src !== dst && known.has(src) && known.has(dst))
      .map(({ src, dst }) => ({ source: src, target: dst }))
    this.#simulation = forceSimulation<Body>([...this.#bodies.values()])
      .force('x', forceX<Body>((body) => body.homeX).strength(0.7))
      .force('y', forceY<Body>((body) => body.homeY).strength(byNs ? 0.25 : 0.04))
      .force('charge', forceManyBody<Body>().strength(-220).distanceMax(600))
      .force('collide', forceCollide<Body>(COLLIDE_PX).iterations(2))
      .force(
        'link',
        forceLink<Body, SimulationLinkDatum<Body>>(links)
          .id(({ id }) => id)
          .distance(LAYER_PX)
          .strength(0.08),
      )
      .stop()
    return true
  }

  /** Arranges for at most so long; true while there is more to do. */
  arrange(budgetMs: number, now: () => number): boolean {
    const end = now() + budgetMs
    while (this.#simulation.alpha() > REST) {
      this.#simulation.tick()
      this.revision++
      if (now() >= end) return this.#simulation.alpha() > REST
    }
    return false
  }

  at(id: string): Point | undefined {
    const body = this.#bodies.get(id)
    return body && { x: body.x ?? 0, y: body.y ?? 0 }
  }

  /** By the hand of the user. */
  move(id: string, { x, y }: Point): void {
    const body = this.#bodies.get(id)
    this.revision++
    if (body) Object.assign(body, { x, y, fx: x, fy: y })
  }

  /** Forgets all places. */
  clear(): void {
    this.#bodies.clear()
    this.#shape = ''
    this.revision++
  }

  bounds(): { readonly min: Point; readonly max: Point } | undefined {
    const bodies = [...this.#bodies.values()]
    if (bodies.length === 0) return undefined
    const xs = bodies.map(({ x = 0 }) => x)
    const ys = bodies.map(({ y = 0 }) => y)
    return {
      min: { x: Math.min(...xs), y: Math.min(...ys) },
      max: { x: Math.max(...xs), y: Math.max(...ys) },
    }
  }
}

/** Not all on one point, and the same at each visit. */
function spread(order: number): number {
  return (order % 2 === 0 ? 1 : -1) * Math.ceil(order / 2) * 12
}
