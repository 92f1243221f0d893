import { count, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { type Box, LabelPlaces } from './label-places.ts'
import { type EdgePath, edgePath, NODE_HEIGHT, nodeWidth } from './map-geometry.ts'
import type { Change, MapEdge, MapGraph, MapNode } from './map-graph.ts'
import type { MapLayout, Point } from './map-layout.ts'

export interface MapColors {
  readonly ground: string
  readonly box: string
  readonly line: string
  readonly text: string
  readonly soft: string
  readonly accent: string
  readonly bad: string
  readonly changes: Readonly<Record<Change, string>>
}

export interface MapScene {
  readonly graph: MapGraph
  readonly layout: MapLayout
  readonly colors: MapColors
  /** Ids of nodes that are looked for; all where nothing is. */
  readonly found: ReadonlySet<string> | undefined
  readonly hovered: { readonly node?: string; readonly edge?: string }
  readonly isCompared: boolean
  readonly byNs: boolean
}

/** With more, labels would cover each other. */
const MAX_LABELS = 40
/** With more, full lines would be one dark area. */
const MANY_EDGES = 400
const LABEL_HEIGHT = 15
const LABEL_FONT = '10.5px system-ui, sans-serif'
const NS_MARGIN_PX = 40

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

/** Draws the map in its own coordinates; the caller has set the transform. */
export class MapPainter {
  readonly #context: CanvasRenderingContext2D

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context
  }

  paint(scene: MapScene, scale: number): void {
    const { graph } = scene
    if (scene.byNs) this.#namespaces(scene)
    const hasLabels = graph.edges.length <= MAX_LABELS && scale > 0.55
    const widths = new Map(graph.nodes.map((node) => [node.id, nodeWidth(node.name)]))
    const paths = graph.edges.flatMap((edge) => {
      const path = pathOf(edge, scene.layout, widths)
      return path ? [{ edge, path }] : []
    })
    this.#edges(paths, scene)
    // On top of all lines: none of them strikes a figure out.
    const places = new LabelPlaces(graph.nodes.flatMap((node) => this.#boxOf(node, scene) ?? []))
    for (const { edge, path } of paths) {
      const isHovered = scene.hovered.edge === edge.id
      if (!isHovered && !hasLabels) continue
      // A label that is dimmed keeps its place, so that the others do not move under the pointer.
      const at = places.place(path, this.#labelWidth(edge), LABEL_HEIGHT)
      if (isHovered || !isDimmed(edge, scene)) this.#label(edge, at, scene.colors)
    }
    for (const node of graph.nodes) this.#node(node, scene, scale)
  }

  /** All edges of one look in one stroke: a stroke each makes a large map slow. */
  #edges(paths: readonly DrawnEdge[], scene: MapScene): void {
    const context = this.#context
    const looks = new Map<string, { readonly look: EdgeLook; readonly paths: EdgePath[] }>()
    for (const { edge, path } of paths) {
      const look = lookOf(edge, scene)
      const key = `${look.color} ${look.alpha} ${look.width} ${look.isDashed}`
      const group = looks.get(key)
      if (group) group.paths.push(path)
      else looks.set(key, { look, paths: [path] })
    }
    for (const { look, paths: alike } of looks.values()) {
      context.globalAlpha = look.alpha
      context.strokeStyle = look.color
      context.fillStyle = look.color
      context.lineWidth = look.width
      context.setLineDash(look.isDashed ? [6, 5] : [])
      context.beginPath()
      for (const { from, bend, to } of alike) {
        context.moveTo(from.x, from.y)
        context.quadraticCurveTo(bend.x, bend.y, to.x, to.y)
      }
      context.stroke()
      context.beginPath()
      for (const path of alike) this.#arrow(path)
      context.fill()
    }
    context.setLineDash([])
    context.globalAlpha = 1
  }

  #arrow({ to, bend }: EdgePath): void {
    const context = this.#context
    const angle = Math.atan2(to.y - bend.y, to.x - bend.x)
    context.moveTo(to.x, to.y)
    for (const side of [-0.42, 0.42])
      context.lineTo(to.x - Math.cos(angle + side) * 9, to.y - Math.sin(angle + side) * 9)
    context.closePath()
  }

  #boxOf(node: MapNode, { layout }: MapScene): Box | undefined {
    const at = layout.at(node.id)
    return at && { x: at.x, y: at.y, width: nodeWidth(node.name), height: NODE_HEIGHT }
  }

  #labelWidth(edge: MapEdge): number {
    this.#context.font = LABEL_FONT
    const { plain, failed } = labelText(edge)
    return this.#context.measureText(plain + failed).width + 6
  }

  #label(edge: MapEdge, { x, y }: Point, colors: MapColors): void {
    const context = this.#context
    context.font = LABEL_FONT
    const { plain, failed } = labelText(edge)
    const width = context.measureText(plain + failed).width
    context.fillStyle = colors.ground
    context.fillRect(x - width / 2 - 3, y - 8, width + 6, LABEL_HEIGHT)
    context.textBaseline = 'middle'
    context.textAlign = 'left'
    context.fillStyle = colors.soft
    context.fillText(plain, x - width / 2, y)
    context.fillStyle = colors.bad
    context.fillText(failed, x - width / 2 + context.measureText(plain).width, y)
  }

  #node(node: MapNode, scene: MapScene, scale: number): void {
    const at = scene.layout.at(node.id)
    if (!at) return
    const context = this.#context
    const { colors, hovered, found } = scene
    const width = nodeWidth(node.name)
    const share = node.calls > 0 ? node.errors / node.calls : 0
    const [left, top] = [at.x - width / 2, at.y - NODE_HEIGHT / 2]
    context.globalAlpha = found && !found.has(node.id) ? 0.25 : 1
    context.beginPath()
    context.roundRect(left, top, width, NODE_HEIGHT, 8)
    context.fillStyle = colors.box
    context.fill()
    context.lineWidth = hovered.node === node.id || found?.has(node.id) ? 2.5 : 1.25
    context.strokeStyle =
      hovered.node === node.id || found?.has(node.id)
        ? colors.accent
        : share > 0.01
          ? colors.bad
          : colors.line
    context.setLineDash(node.isOutside ? [4, 3] : [])
    context.stroke()
    context.setLineDash([])
    if (share > 0) {
      context.save()
      context.clip()
      context.fillStyle = colors.bad
      context.fillRect(left, top + NODE_HEIGHT - 4, width * share, 4)
      context.restore()
    }
    if (scale > 0.3) {
      context.textAlign = 'center'
      context.textBaseline = 'middle'
      context.fillStyle = colors.text
      context.font = '600 12px system-ui, sans-serif'
      context.fillText(node.name, at.x, at.y - (node.calls > 0 ? 6 : 0), width - 12)
      if (node.calls > 0) {
        context.fillStyle = share > 0.01 ? colors.bad : colors.soft
        context.font = '10.5px system-ui, sans-serif'
        const failed = share > 0 ? ` · ${percent(share)}` : ''
        context.fillText(`${count(node.calls)} calls${failed}`, at.x, at.y + 8, width - 10)
      }
    }
    context.globalAlpha = 1
  }

  #namespaces({ graph, layout, colors }: MapScene): void {
    const context = this.#context
    const groups = new Map<string, Point[]>()
    for (const { id, ns } of graph.nodes) {
      const at = layout.at(id)
      if (at && ns !== undefined) groups.set(ns, [...(groups.get(ns) ?? []), at])
    }
    for (const [ns, points] of groups) {
      const xs = points.map(({ x }) => x)
      const ys = points.map(({ y }) => y)
      const left = Math.min(...xs) - 100 - NS_MARGIN_PX / 2
      const top = Math.min(...ys) - NODE_HEIGHT - NS_MARGIN_PX / 2
      const width = Math.max(...xs) - Math.min(...xs) + 200 + NS_MARGIN_PX
      const height = Math.max(...ys) - Math.min(...ys) + 2 * NODE_HEIGHT + NS_MARGIN_PX
      context.beginPath()
      context.roundRect(left, top, width, height, 14)
      context.strokeStyle = colors.line
      context.lineWidth = 1
      context.stroke()
      context.fillStyle = colors.soft
      context.font = '600 12px system-ui, sans-serif'
      context.textAlign = 'left'
      context.textBaseline = 'top'
      context.fillText(ns, left + 12, top + 8)
    }
  }
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

function labelText(edge: MapEdge): { readonly plain: string; readonly failed: string } {
  return {
    plain: `${rate(edge.rate)}/s${edge.p95 === undefined ? '' : `  ${latency(edge.p95)}`}`,
    failed: edge.errors > 0 ? `  ${percent(edge.errors / edge.calls)}` : '',
  }
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

function isDimmed({ id, src, dst }: MapEdge, { hovered, found }: MapScene): boolean {
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

function percent(share: number): string {
  return `${share < 0.095 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`
}
