type ClusterClient = typeof import('./cluster-client.ts')

/** The client of Kubernetes is large, and only loaded by commands that need it. */
export async function loadClusterClient(): Promise<ClusterClient> {
  const bundle = new URL('./tapdeck-context.mjs', import.meta.url).href
  return (await import(bundle)) as ClusterClient
}
