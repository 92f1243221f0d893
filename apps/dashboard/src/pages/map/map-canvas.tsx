import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useSize } from '../../ui/use-size.ts'
import { DrawnEdges, pathOf } from './drawn-edges.ts'
import { useMapColors } from './map-colors.ts'
import { distanceToEdge, isInNode, nodeWidth } from './map-geometry.ts'
import type { MapEdge, MapGraph, MapNode } from './map-graph.ts'
import { MapLayout, type Point } from './map-layout.ts'
import { MapPainter } from './map-painter.ts'
import type { MapScene } from './map-scene.ts'
import { MapView } from './map-view.ts'

export interface MapCanvasProps {
  readonly graph: MapGraph
  readonly byNs: boolean
  readonly isCompared: boolean
  readonly found: ReadonlySet<string> | undefined
  readonly label: string
  /** Changes where the map is to be fitted to its place anew. */
  readonly fitKey: string
  readonly onHover: (thing: MapNode | MapEdge | undefined) => void
  readonly onNode: (node: MapNode) => void
  readonly onEdge: (edge: MapEdge) => void
}

/** The time that arranging may take of each frame: the page stays smooth however large the map is. */
const FRAME_BUDGET_MS = 8
const NEAR_PX = 7

type Grip = { readonly kind: 'view' | 'node'; readonly id?: string; readonly from: Point; hasMoved: boolean }

/** The map itself: drag to move it, the wheel zooms, a node can be dragged; a click chooses. */
export function MapCanvas(props: MapCanvasProps) {
  const { graph, byNs, isCompared, found, label, fitKey, onHover, onNode, onEdge } = props
  const place = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const [layout] = useState(() => new MapLayout())
  const [view] = useState(() => new MapView())
  const [drawn] = useState(() => new DrawnEdges())
  const [hovered, setHovered] = useState<MapScene['hovered']>({})
  const grip = useRef<Grip>(undefined)
  const width = useSize(place)?.width
  const colors = useMapColors()
  const widths = useMemo(() => new Map(graph.nodes.map((node) => [node.id, nodeWidth(node.name)])), [graph])
  const frame = useRef(0)
  const scene: MapScene = { graph, layout, colors, found, hovered, isCompared, byNs }
  const newest = useRef(scene)
  newest.current = scene

  const draw = () => {
    const context = canvas.current?.getContext('2d')
    if (!context || !canvas.current || !place.current) return
    const ratio = devicePixelRatio
    const { clientWidth, clientHeight } = place.current
    if (canvas.current.width !== clientWidth * ratio || canvas.current.height !== clientHeight * ratio) {
      canvas.current.width = clientWidth * ratio
      canvas.current.height = clientHeight * ratio
    }
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, canvas.current.width, canvas.current.height)
    const { scale, x, y } = view
    context.setTransform(scale * ratio, 0, 0, scale * ratio, x * ratio, y * ratio)
    new MapPainter(context, drawn).paint(newest.current, scale)
  }

  /** Once a frame: arranges a little, fits, draws, and goes on while something moves. */
  const animate = () => {
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => {
      const isMoving = layout.arrange(FRAME_BUDGET_MS, () => performance.now())
      if (place.current) view.fit(layout.bounds(), place.current.clientWidth, place.current.clientHeight)
      draw()
      if (isMoving) animate()
    })
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new key fits the view again
  useEffect(() => {
    view.release()
    animate()
  }, [view, fitKey])
  // biome-ignore lint/correctness/useExhaustiveDependencies: draws whatever changed
  useEffect(() => {
    layout.update(graph.nodes, graph.edges, byNs)
    animate()
  }, [layout, graph, byNs])
  // biome-ignore lint/correctness/useExhaustiveDependencies: draws whatever changed
  useEffect(() => {
    animate()
  }, [width, colors, hovered, found, isCompared])
  useEffect(() => () => cancelAnimationFrame(frame.current), [])

  // React adds wheel listeners as passive ones, which cannot keep the page from scrolling.
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads only what does not change
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      view.zoomAt({ x: event.offsetX, y: event.offsetY }, Math.exp(-event.deltaY * 0.0015))
      animate()
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [view])

  const thingAt = (screen: Point): { node?: MapNode; edge?: MapEdge } => {
    const at = view.toMap(screen)
    const node = graph.nodes.findLast(({ id }) => {
      const middle = layout.at(id)
      return middle && isInNode(middle, widths.get(id) ?? 0, at)
    })
    if (node) return { node }
    let nearest: MapEdge | undefined
    let least = NEAR_PX / view.scale
    for (const edge of graph.edges) {
      const path = pathOf(edge, layout, widths)
      const distance = path ? distanceToEdge(path, at) : least
      if (distance < least) {
        least = distance
        nearest = edge
      }
    }
    return nearest ? { edge: nearest } : {}
  }
  const pointOf = ({ nativeEvent }: PointerEvent): Point => ({
    x: nativeEvent.offsetX,
    y: nativeEvent.offsetY,
  })
  const hover = ({ node, edge }: { node?: MapNode; edge?: MapEdge }) => {
    if (hovered.node === node?.id && hovered.edge === edge?.id) return
    setHovered({ ...(node && { node: node.id }), ...(edge && { edge: edge.id }) })
    onHover(node ?? edge)
  }

  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const { node } = thingAt(pointOf(event))
    grip.current = {
      kind: node ? 'node' : 'view',
      ...(node && { id: node.id }),
      from: pointOf(event),
      hasMoved: false,
    }
  }
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const at = pointOf(event)
    const held = grip.current
    if (!held) return hover(thingAt(at))
    if (!held.hasMoved && Math.hypot(at.x - held.from.x, at.y - held.from.y) < 4) return
    held.hasMoved = true
    if (held.kind === 'node' && held.id !== undefined) layout.move(held.id, view.toMap(at))
    else view.pan(event.movementX, event.movementY)
    animate()
  }
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const held = grip.current
    grip.current = undefined
    if (!held || held.hasMoved) return
    const { node, edge } = thingAt(pointOf(event))
    if (node) onNode(node)
    else if (edge) onEdge(edge)
  }

  return (
    <div ref={place} className="map-place">
      <canvas
        ref={canvas}
        className={`map-canvas${hovered.node || hovered.edge ? ' over' : ''}`}
        role="img"
        aria-label={label}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          grip.current = undefined
        }}
        onPointerLeave={() => hover({})}
      />
      <div className="map-zoom">
        <ZoomButton text="+" label="Zoom in" onClick={() => zoom(1.3)} />
        <ZoomButton text="−" label="Zoom out" onClick={() => zoom(1 / 1.3)} />
        <ZoomButton
          text="Fit"
          label="Fit the map to the page, and arrange it anew"
          onClick={() => {
            layout.clear()
            layout.update(graph.nodes, graph.edges, byNs)
            view.release()
            animate()
          }}
        />
      </div>
    </div>
  )

  function zoom(factor: number): void {
    if (!place.current) return
    view.zoomAt({ x: place.current.clientWidth / 2, y: place.current.clientHeight / 2 }, factor)
    animate()
  }
}

function ZoomButton({ text, label, onClick }: { text: string; label: string; onClick: () => void }) {
  return (
    <button type="button" className="button" aria-label={label} title={label} onClick={onClick}>
      {text}
    </button>
  )
}
