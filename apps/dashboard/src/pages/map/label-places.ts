import { alongEdge, type EdgePath } from './map-geometry.ts'
import type { Point } from './map-layout.ts'

/** A rectangle by its middle. */
export interface Box extends Point {
  readonly width: number
  readonly height: number
}

/** Parts of an edge where its figures may be, the best first. */
const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78] as const

/** Finds a place for the figures of each edge where they cover no node and no figures of another edge. */
export class LabelPlaces {
  readonly #taken: Box[]

  constructor(nodes: readonly Box[]) {
    this.#taken = [...nodes]
  }

  /** The middle of the label. Where no place is free, the middle of the edge. */
  place(path: EdgePath, width: number, height: number): Point {
    const boxes = PLACES.map((part) => ({ ...alongEdge(path, part), width, height }))
    const free = boxes.find((box) => !this.#taken.some((other) => overlap(box, other))) ?? boxes[0]
    const box = free ?? { ...path.bend, width, height }
    this.#taken.push(box)
    return box
  }
}

function overlap(a: Box, b: Box): boolean {
  return Math.abs(a.x - b.x) * 2 < a.width + b.width && Math.abs(a.y - b.y) * 2 < a.height + b.height
}
