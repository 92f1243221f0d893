type Point = readonly [minute: number, value: number]

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Growth per hour: the slope of the line of least squares through the points. */
export function slopePerHour(points: readonly Point[]): number {
  const x = mean(points.map(([minute]) => minute))
  const y = mean(points.map(([, value]) => value))
  const above = points.reduce((sum, [minute, value]) => sum + (minute - x) * (value - y), 0)
  const below = points.reduce((sum, [minute]) => sum + (minute - x) ** 2, 0)
  return below === 0 ? 0 : (above / below) * 60
}
