import type { Point } from './map-layout.ts'

const MIN_SCALE = 0.1
const MAX_SCALE = 3
/** Boxes are wider than their middle says. */
const MARGIN_X = 120
const MARGIN_Y = 50
/** A map of two nodes needs no giant boxes. */
const MAX_FIT = 1.25

/** Which part of the map is on the screen. It follows the map until the user moves it. */
export class MapView {
  scale = 1
  x = 0
  y = 0
  #isHeld = false

  toMap({ x, y }: Point): Point {
    return { x: (x - this.x) / this.scale, y: (y - this.y) / this.scale }
  }

  pan(dx: number, dy: number): void {
    this.#isHeld = true
    this.x += dx
    this.y += dy
  }

  /** The place under the pointer stays there. */
  zoomAt(point: Point, factor: number): void {
    this.#isHeld = true
    const at = this.toMap(point)
    this.scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.scale * factor))
    this.x = point.x - at.x * this.scale
    this.y = point.y - at.y * this.scale
  }

  /** From now on it follows the map again. */
  release(): void {
    this.#isHeld = false
  }

  fit(bounds: { readonly min: Point; readonly max: Point } | undefined, width: number, height: number): void {
    if (this.#isHeld || !bounds || width <= 0 || height <= 0) return
    const { min, max } = bounds
    const across = max.x - min.x + 2 * MARGIN_X
    const down = max.y - min.y + 2 * MARGIN_Y
    this.scale = Math.max(MIN_SCALE, Math.min(MAX_FIT, width / across, height / down))
    this.x = width / 2 - ((min.x + max.x) / 2) * this.scale
    this.y = height / 2 - ((min.y + max.y) / 2) * this.scale
  }
}
