import type { WindowPart } from '../window-part.ts'
import { readIndex } from './index-file.ts'
import type { SegmentIndex } from './segment-index.ts'

/** The index beside a segment; undefined where there is none (yet). One that is still written has none. */
export function readPartIndex(part: WindowPart): SegmentIndex | undefined {
  return part.open ? undefined : readIndex(part.path, part.bytes)
}
