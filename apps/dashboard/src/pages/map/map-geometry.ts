import type { Point } from './map-layout.ts'

export const NODE_HEIGHT = 34
const MIN_WIDTH = 104
const MAX_WIDTH = 190
const CHAR_PX = 7.2

/** The width of the box of a node, by the length of its name. */
export function nodeWidth(name: string): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, name.length * CHAR_PX + 24))
}

export interface EdgePath {
  readonly from: Point
  readonly to: Point
  /** The control point of the curve. */
  readonly bend: Point
}

const BEND = 0.16

/** From the border of one box to that of another, a little bent, so that both directions are seen. */
export function edgePath(a: Point, aWidth: number, b: Point, bWidth: number): EdgePath {
  const bend = {
    x: (a.x + b.x) / 2 - (b.y - a.y) * BEND,
    y: (a.y + b.y) / 2 + (b.x - a.x) * BEND,
  }
  return { from: border(a, aWidth, bend), to: border(b, bWidth, bend), bend }
}

/** Where the line from the middle of a box to another point leaves it. */
function border(middle: Point, width: number, to: Point): Point {
  const dx = to.x - middle.x
  const dy = to.y - middle.y
  if (dx === 0 && dy === 0) return middle
  const scale = Math.min(width / 2 / Math.abs(dx || 1e-9), NODE_HEIGHT / 2 / Math.abs(dy || 1e-9))
  return { x: middle.x + dx * scale, y: middle.y + dy * scale }
}

/** A point of the curve; 0 is its beginning, 1 its end. */
export function alongEdge({ from, bend, to }: EdgePath, t: number): Point {
  const of = (name: 'x' | 'y') =>
    (1 - t) * (1 - t) * from[name] + 2 * (1 - t) * t * bend[name] + t * t * to[name]
  return { x: of('x'), y: of('y') }
}

/** How far a point is from a curve. */
export function distanceToEdge(path: EdgePath, { x, y }: Point): number {
  let least = Number.POSITIVE_INFINITY
  let before = path.from
  for (let step = 1; step <= 12; step++) {
    const next = alongEdge(path, step / 12)
    least = Math.min(least, distanceToLine(before, next, { x, y }))
    before = next
  }
  return least
}

function distanceToLine(a: Point, b: Point, p: Point): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y]
  const length = dx * dx + dy * dy
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((p.x - a.x) * dx + (p.y - a.y) * dy) / length))
  return Math.hypot(p.x - a.x - t * dx, p.y - a.y - t * dy)
}

export function isInNode(middle: Point, width: number, { x, y }: Point): boolean {
  return Math.abs(x - middle.x) <= width / 2 && Math.abs(y - middle.y) <= NODE_HEIGHT / 2
}
