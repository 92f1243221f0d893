import { kubectl } from './test-cluster.ts'

/** What a service account may do in a namespace beyond what every account may. Default: its own one. */
export async function rightsOf(account: string, home: string, namespace = home): Promise<string[]> {
  const list = async (name: string) => {
    const as = `--as=system:serviceaccount:${home}:${name}`
    const text = await kubectl('auth', 'can-i', '--list', '--no-headers', '-n', namespace, as)
    return text
      .split('\n')
      .map((line) => line.trim().replace(/\s+/g, ' '))
      .filter(Boolean)
  }
  const everyone = new Set(await list('no-such-account'))
  return (await list(account)).filter((line) => !everyone.has(line)).sort()
}
