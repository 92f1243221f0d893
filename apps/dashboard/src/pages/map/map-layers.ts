interface Edge {
  readonly src: string
  readonly dst: string
}

/** How many calls away from a caller that is called by none each node is. Circles begin with their most active caller. */
export function layersOf(ids: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const out = new Map<string, string[]>(ids.map((id) => [id, []]))
  const called = new Map<string, number>()
  for (const { src, dst } of edges) {
    if (src === dst) continue
    out.get(src)?.push(dst)
    called.set(dst, (called.get(dst) ?? 0) + 1)
  }
  const layers = new Map<string, number>()
  const walk = (first: readonly string[]) => {
    let layer: readonly string[] = first
    for (let depth = 0; layer.length > 0; depth++) {
      for (const id of layer) layers.set(id, depth)
      layer = [...new Set(layer.flatMap((id) => out.get(id) ?? []))].filter((id) => !layers.has(id))
    }
  }
  walk(ids.filter((id) => !called.has(id)))
  const surplus = (id: string) => (out.get(id)?.length ?? 0) - (called.get(id) ?? 0)
  const left = ids.filter((id) => !layers.has(id)).sort((a, b) => surplus(b) - surplus(a))
  for (const id of left) if (!layers.has(id)) walk([id])
  return layers
}
