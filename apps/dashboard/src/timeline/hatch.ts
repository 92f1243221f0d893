const TILE_PX = 8

/** A fill of diagonal lines. It marks times of which the chart knows nothing, also for those who do not see the colour. */
export function hatch(context: CanvasRenderingContext2D, color: string): CanvasPattern | string {
  const scale = devicePixelRatio
  const tile = document.createElement('canvas')
  tile.width = TILE_PX * scale
  tile.height = TILE_PX * scale
  const brush = tile.getContext('2d')
  if (!brush) return color
  brush.scale(scale, scale)
  brush.strokeStyle = color
  brush.lineWidth = 1.25
  for (const shift of [-TILE_PX, 0, TILE_PX]) {
    brush.moveTo(shift, TILE_PX)
    brush.lineTo(shift + TILE_PX, 0)
  }
  brush.stroke()
  return context.createPattern(tile, 'repeat') ?? color
}
