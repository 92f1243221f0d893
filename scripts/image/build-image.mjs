import { sourceTime } from '../release/sources.mjs'
import { imageConfig } from './image-config.mjs'
import { imageLayers } from './image-layers.mjs'
import { ociContent, ociImage } from './oci-image.mjs'

/** Builds the image of this checkout's `dist/` in memory. The same sources and tools give the same digest. */
export function buildImage(architectures) {
  const created = sourceTime()
  const config = imageConfig()
  return ociContent(
    architectures.map((architecture) =>
      ociImage({ architecture, created, config, layers: imageLayers(architecture) }),
    ),
  )
}
