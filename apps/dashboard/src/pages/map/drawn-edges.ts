import { type EdgePath, edgePath, nodeWidth } from './map-geometry.ts'
import type { Change, MapEdge } from './map-graph.ts'
import type { MapLayout } from './map-layout.ts'
import type { MapScene } from './map-scene.ts'

/** With more, full lines would be one dark area. */
const MANY_EDGES = 400
const ARROW_PX = 9

interface DrawnEdge {
  readonly edge: MapEdge
  readonly path: EdgePath
}

interface EdgeLook {
  readonly color: string
  readonly alpha: number
  readonly width: number
  readonly isDashed: boolean
}

/** All edges of one look: a stroke each makes a large map slow. */
export interface EdgeStroke {
  readonly look: EdgeLook
  readonly lines: Path2D
  readonly arrows: Path2D
}

interface Drawn {
  readonly paths: readonly DrawnEdge[]
  readonly strokes: readonly EdgeStroke[]
}

/** The edges of a scene as they are drawn. Made again only when the scene or the place of a node changes, not when the view moves. */
export class DrawnEdges {
  #of: { readonly scene: MapScene; readonly revision: number; readonly drawn: Drawn } | undefined

  of(scene: MapScene): Drawn {
    const { revision } = scene.layout
    if (this.#of?.scene !== scene || this.#of.revision !== revision)
      this.#of = { scene, revision, drawn: draw(scene) }
    return this.#of.drawn
  }
}

function draw(scene: MapScene): Drawn {
  const widths = new Map(scene.graph.nodes.map((node) => [node.id, nodeWidth(node.name)]))
  const paths = scene.graph.edges.flatMap((edge) => {
    const path = pathOf(edge, scene.layout, widths)
    return path ? [{ edge, path }] : []
  })
  const strokes = new Map<string, EdgeStroke>()
  for (const { edge, path } of paths) {
    const look = lookOf(edge, scene)
    const key = `${look.color} ${look.alpha} ${look.width} ${look.isDashed}`
    const stroke = strokes.get(key) ?? { look, lines: new Path2D(), arrows: new Path2D() }
    strokes.set(key, stroke)
    stroke.lines.moveTo(path.from.x, path.from.y)
    stroke.lines.quadraticCurveTo(path.bend.x, path.bend.y, path.to.x, path.to.y)
    addArrow(stroke.arrows, path)
  }
  return { paths, strokes: [...strokes.values()] }
}

function addArrow(arrows: Path2D, { to, bend }: EdgePath): void {
  const angle = Math.atan2(to.y - bend.y, to.x - bend.x)
  arrows.moveTo(to.x, to.y)
  for (const side of [-0.42, 0.42])
    arrows.lineTo(to.x - Math.cos(angle + side) * ARROW_PX, to.y - Math.sin(angle + side) * ARROW_PX)
  arrows.closePath()
}

export function pathOf(
  edge: Pick<MapEdge, 'src' | 'dst'>,
  layout: MapLayout,
  widths: ReadonlyMap<string, number>,
): EdgePath | undefined {
  const from = layout.at(edge.src)
  const to = layout.at(edge.dst)
  if (!from || !to || edge.src === edge.dst) return undefined
  return edgePath(from, widths.get(edge.src) ?? 0, to, widths.get(edge.dst) ?? 0)
}

/** Few widths, so that few strokes draw all edges. */
function lookOf(edge: MapEdge, scene: MapScene): EdgeLook {
  const { hovered } = scene
  const isHovered = hovered.edge === edge.id || hovered.node === edge.src || hovered.node === edge.dst
  const width = Math.min(6, 1 + Math.round(Math.log10(1 + edge.rate) * 1.6)) + (isHovered ? 1 : 0)
  const plain = scene.graph.edges.length > MANY_EDGES ? 0.35 : 0.75
  const alpha = isHovered ? 1 : isDimmed(edge, scene) ? 0.1 : plain
  return {
    color: edgeColor(edge, scene),
    alpha,
    width,
    isDashed: edge.changes.some(({ kind }) => kind === 'gone'),
  }
}

export function isDimmed({ id, src, dst }: MapEdge, { hovered, found }: MapScene): boolean {
  if (hovered.node !== undefined || hovered.edge !== undefined)
    return hovered.edge !== id && hovered.node !== src && hovered.node !== dst
  return found !== undefined && !found.has(src) && !found.has(dst)
}

/** The gravest change where windows are compared; otherwise what fails is red. */
function edgeColor({ errors, calls, changes }: MapEdge, { isCompared, colors }: MapScene): string {
  const order: readonly Change[] = ['failing_more', 'slower', 'new', 'gone']
  const change = order.find((kind) => changes.some((one) => one.kind === kind))
  if (isCompared) return change ? colors.changes[change] : colors.line
  return calls > 0 && errors / calls > 0.01 ? colors.bad : colors.line
}
