/** The slope of the straight line that fits the points best, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const rise = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return rise / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
