import { count, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { type DrawnEdges, type EdgeStroke, isDimmed } from './drawn-edges.ts'
import { type Box, LabelPlaces } from './label-places.ts'
import { NODE_HEIGHT, nodeWidth } from './map-geometry.ts'
import type { MapEdge, MapNode } from './map-graph.ts'
import type { Point } from './map-layout.ts'
import type { MapColors, MapScene } from './map-scene.ts'

/** With more, labels would cover each other. */
const MAX_LABELS = 40
const LABEL_HEIGHT = 15
const LABEL_FONT = '10.5px system-ui, sans-serif'
const NS_MARGIN_PX = 40
/** As wide as the characters of names are on average at most. */
const WIDE_CHAR_PX = 7.2

/** Draws the map in its own coordinates; the caller has set the transform. */
export class MapPainter {
  readonly #context: CanvasRenderingContext2D
  readonly #drawn: DrawnEdges

  constructor(context: CanvasRenderingContext2D, drawn: DrawnEdges) {
    this.#context = context
    this.#drawn = drawn
  }

  paint(scene: MapScene, scale: number): void {
    const { graph } = scene
    if (scene.byNs) this.#namespaces(scene)
    const hasLabels = graph.edges.length <= MAX_LABELS && scale > 0.55
    const { paths, strokes } = this.#drawn.of(scene)
    this.#edges(strokes)
    // On top of all lines: none of them strikes a figure out.
    const places = new LabelPlaces(graph.nodes.flatMap((node) => this.#boxOf(node, scene) ?? []))
    for (const { edge, path } of hasLabels || scene.hovered.edge !== undefined ? paths : []) {
      const isHovered = scene.hovered.edge === edge.id
      if (!isHovered && !hasLabels) continue
      // A label that is dimmed keeps its place, so that the others do not move under the pointer.
      const at = places.place(path, this.#labelWidth(edge), LABEL_HEIGHT)
      if (isHovered || !isDimmed(edge, scene)) this.#label(edge, at, scene.colors)
    }
    for (const node of graph.nodes) this.#node(node, scene, scale)
  }

  #edges(strokes: readonly EdgeStroke[]): void {
    const context = this.#context
    for (const { look, lines, arrows } of strokes) {
      context.globalAlpha = look.alpha
      context.strokeStyle = look.color
      context.fillStyle = look.color
      context.lineWidth = look.width
      context.setLineDash(look.isDashed ? [6, 5] : [])
      context.stroke(lines)
      context.fill(arrows)
    }
    context.setLineDash([])
    context.globalAlpha = 1
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
      this.#fitted(node.name, at.x, at.y - (node.calls > 0 ? 6 : 0), width - 12)
      if (node.calls > 0) {
        context.fillStyle = share > 0.01 ? colors.bad : colors.soft
        context.font = '10.5px system-ui, sans-serif'
        const failed = share > 0 ? ` · ${percent(share)}` : ''
        this.#fitted(`${count(node.calls)} calls${failed}`, at.x, at.y + 8, width - 10)
      }
    }
    context.globalAlpha = 1
  }

  /** With a limit, the browser measures the text each time: only where it may be too long. */
  #fitted(text: string, x: number, y: number, maxPx: number): void {
    if (text.length * WIDE_CHAR_PX <= maxPx) this.#context.fillText(text, x, y)
    else this.#context.fillText(text, x, y, maxPx)
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

function labelText(edge: MapEdge): { readonly plain: string; readonly failed: string } {
  return {
    plain: `${rate(edge.rate)}/s${edge.p95 === undefined ? '' : `  ${latency(edge.p95)}`}`,
    failed: edge.errors > 0 ? `  ${percent(edge.errors / edge.calls)}` : '',
  }
}

function percent(share: number): string {
  return `${share < 0.095 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`
}
